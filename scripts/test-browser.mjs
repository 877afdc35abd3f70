// `npm run test:browser`: the tests of the console in a real browser. Installs and builds what is missing; the last line is
// `N passed, N failed`. Arguments go to Jest.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { endWith, runTests } from './run-jest.mjs';

await endWith(() => {
  ensureInstalled();
  ensureBuilt();
  return runTests(['--config', 'jest.browser.config.js'], process.argv.slice(2));
});
