// How scripts run Jest, and what they say at their end: one plain line, `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Runs a Node program of the project; gives its exit code. */
export function run(...args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}

/**
 * Runs tests with these arguments: how many passed and failed, why when that is not all, and of each test file with a failure
 * its path and how many of it passed.
 */
export function runJest(args) {
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
    if (!existsSync(resultFile)) return { passed: 0, failed: 1, why: 'Jest ran no test.' };
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
      .map(({ name, assertionResults }) => ({
        path: name,
        passed: assertionResults.filter((each) => each.status === 'passed').length,
      })),
  };
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
