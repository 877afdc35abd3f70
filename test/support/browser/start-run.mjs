// Jest's globalSetup of the browser tests: one browser for all of them, or the run ends here with what is missing.
import { chromium } from 'playwright-core';
import startTests from '../start-run.mjs';
import { findBrowser } from './find-browser.mjs';

export default async function startRun() {
  const { executablePath, env } = await findBrowser();
  await startTests();
  globalThis.browserServer = await chromium.launchServer({
    executablePath,
    env: { ...process.env, ...env },
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb'],
  });
  process.env.TEST_BROWSER = globalThis.browserServer.wsEndpoint();
}
