// How scripts run Jest, and what they say at their end: one plain line, `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Runs a Node program of the project; gives its exit code. */
export function run(...args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}

/** When more files fail, it is the code. */
const MOST_FILES_AGAIN = 2;
/** Lines of an error that are shown at the end, where what a test printed is not between them. */
const SHOWN_LINES = 8;

/**
 * Runs tests: `config` are Jest's arguments that always hold, `given` those of this run. How many passed and failed, and why
 * when that is not all. A busy machine misses a wait now and then: in CI a file or two that failed run once more, whole and
 * alone, and that counts. What failed first is in the output, and is named again at its end.
 */
export function runTests(config, given) {
  const outcome = runJest([...config, ...given]);
  const { failedFiles } = outcome;
  showFailures(failedFiles);
  const isFew = failedFiles.length > 0 && failedFiles.length <= MOST_FILES_AGAIN;
  // Some of the tests are run by whoever looks at them.
  return process.env.CI === 'true' && given.length === 0 && isFew
    ? runAgain(config, outcome)
    : outcome;
}

function runAgain(config, { passed, failedFiles }) {
  const paths = failedFiles.map(({ path }) => path);
  console.log(`Failed, and run once more: ${namesOf(failedFiles)}`);
  const again = runJest([...config, '--maxWorkers=1', '--runTestsByPath', ...paths]);
  showFailures(again.failedFiles);
  const failedAgain = new Set(again.failedFiles.map(({ path }) => path));
  const unstable = failedFiles.filter(({ path }) => !failedAgain.has(path));
  if (unstable.length > 0) {
    console.log(`Unstable, passed only when run again: ${namesOf(unstable)}. At first:`);
    showFailures(unstable);
  }
  const before = failedFiles.reduce((sum, file) => sum + file.passed, 0);
  return { ...again, passed: passed - before + again.passed };
}

/** What failed, together: between it and the end of the output can be a thousand files. */
function showFailures(files) {
  for (const { path, failures } of files) {
    for (const { name, error } of failures)
      console.log(`Failed: ${nameOf(path)}: ${name}\n${error}`);
  }
}

function namesOf(files) {
  return files.map(({ path }) => nameOf(path)).join(', ');
}

function nameOf(path) {
  return relative(root, path);
}

/** Runs Jest once; of each test file with a failure its path, how many of it passed, and what failed. */
function runJest(args) {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-hub-test-'));
  try {
    const resultFile = join(folder, 'result.json');
    const status = run(
      '--no-warnings',
      '--experimental-vm-modules',
      // With more room for what is young, less of it is copied.
      '--max-semi-space-size=64',
      'node_modules/jest/bin/jest.js',
      '--json',
      `--outputFile=${resultFile}`,
      ...args,
    );
    // It says why: the PostgreSQL server did not start, for instance.
    if (!existsSync(resultFile)) {
      return { passed: 0, failed: 1, failedFiles: [], why: 'Jest ran no test.' };
    }
    const count = countOf(resultFile);
    // Jest can fail for another reason, such as no test at all.
    return status !== 0 && count.failed === 0
      ? { ...count, failed: 1, why: 'Jest failed.' }
      : count;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A suite that could not run at all counts as one failure: its tests are unknown. */
function countOf(resultFile) {
  const result = JSON.parse(readFileSync(resultFile, 'utf8'));
  return {
    passed: result.numPassedTests,
    failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
    failedFiles: result.testResults
      .filter(({ status }) => status === 'failed')
      .map(({ name, message, assertionResults }) => ({
        path: name,
        passed: assertionResults.filter((each) => each.status === 'passed').length,
        failures: failuresOf(message, assertionResults),
      })),
  };
}

function failuresOf(message, tests) {
  const failed = tests.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return [{ name: 'the whole file', error: shown(message) }];
  return failed.map(({ fullName, failureMessages }) => ({
    name: fullName,
    error: shown(failureMessages.join('\n')),
  }));
}

function shown(error) {
  const lines = stripVTControlCharacters(error).split('\n');
  return lines
    .slice(0, SHOWN_LINES)
    .map((line) => `  ${line}`)
    .join('\n');
}

/** Runs the tests and ends the process with their outcome. What is thrown is one failure. */
export async function endWith(tests) {
  let outcome;
  try {
    outcome = await tests();
  } catch (error) {
    outcome = { passed: 0, failed: 1, why: error.message };
  }
  if (outcome.why) console.error(outcome.why);
  console.log(`${outcome.passed} passed, ${outcome.failed} failed`);
  process.exitCode = outcome.failed === 0 ? 0 : 1;
}
