// `npm test`: installs what is missing, builds, runs every test and ends with one plain line,
// `N passed, N failed`. Arguments go to Jest.
import { ensureInstalled } from './ensure-installed.mjs';
import { endWith, run, runTests } from './run-jest.mjs';

await endWith(async () => {
  ensureInstalled();
  // Some tests kill and restart the built hub.
  if (run('node_modules/@nestjs/cli/bin/nest.js', 'build') !== 0) {
    return { passed: 0, failed: 1, why: 'The build failed.' };
  }
  if (run('console/build.mjs') !== 0) {
    return { passed: 0, failed: 1, why: 'The build of the console failed.' };
  }
  const { bundleHub } = await import('./bundle-hub.mjs');
  await bundleHub();
  return runTests([], process.argv.slice(2));
});
