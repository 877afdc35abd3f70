import base from './jest.config.js';

const [, e2e] = base.projects;

/**
 * Tests of the console in a real browser over the real hub: `npm run test:browser`. They need the built console and a Chromium,
 * so they are no part of `npm test`.
 *
 * @type {import('jest').Config}
 */
export default {
  ...base,
  // The browser has processes of its own, and tests wait for the pages to refresh themselves.
  maxWorkers: 2,
  projects: [
    {
      ...e2e,
      displayName: 'browser',
      testEnvironment: '<rootDir>/test/support/browser/environment.mjs',
      globalSetup: '<rootDir>/test/support/browser/start-run.mjs',
      globalTeardown: '<rootDir>/test/support/browser/stop-run.mjs',
      testMatch: ['<rootDir>/test/browser/**/*.browser-spec.ts'],
    },
  ],
};
