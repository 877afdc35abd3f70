// `npm run test:browser`: the tests of the console in a real browser. Installs and builds what is missing; the last line is
// `N passed, N failed`. Arguments go to Jest.
import { relative } from 'node:path';
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { endWith, runJest } from './run-jest.mjs';

/** When more files fail, it is the console. */
const MOST_FILES_AGAIN = 2;

/**
 * A browser on a busy machine misses a wait now and then. In CI a file or two that failed run once more, whole and alone, and that
 * counts; what failed first is in the output, and is named again at its end.
 */
function runAgain({ passed, failedFiles }) {
  const paths = failedFiles.map(({ path }) => path);
  const names = paths.map((path) => relative(process.cwd(), path)).join(', ');
  console.log(`Failed, and run once more: ${names}`);
  const again = runJest([...CONFIG, '--maxWorkers=1', '--runTestsByPath', ...paths]);
  if (again.failed === 0) console.log(`Unstable, passed only when run again: ${names}`);
  const before = failedFiles.reduce((sum, file) => sum + file.passed, 0);
  return { ...again, passed: passed - before + again.passed };
}

const CONFIG = ['--config', 'jest.browser.config.js'];

await endWith(() => {
  ensureInstalled();
  ensureBuilt();
  const given = process.argv.slice(2);
  const outcome = runJest([...CONFIG, ...given]);
  const { failedFiles = [] } = outcome;
  const isFew = failedFiles.length > 0 && failedFiles.length <= MOST_FILES_AGAIN;
  // Some of the tests are run by whoever looks at them.
  const isAgain = process.env.CI === 'true' && given.length === 0 && isFew;
  return isAgain ? runAgain(outcome) : outcome;
});
