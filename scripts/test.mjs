// `npm test`: installs what is missing, builds, runs every test once and ends with one plain line,
// `N passed, N failed`. Arguments go to Jest.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './ensure-installed.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));

function run(...args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}

function runJest(resultFile) {
  return run(
    '--no-warnings',
    '--experimental-vm-modules',
    // With more room for what is young, less of it is copied.
    '--max-semi-space-size=64',
    'node_modules/jest/bin/jest.js',
    '--json',
    `--outputFile=${resultFile}`,
    ...process.argv.slice(2),
  );
}

/** A suite that could not run at all counts as one failure: its tests are unknown. */
function countOf(resultFile) {
  const result = JSON.parse(readFileSync(resultFile, 'utf8'));
  return {
    passed: result.numPassedTests,
    failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
  };
}

async function test() {
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
  const folder = mkdtempSync(join(tmpdir(), 'a2a-hub-test-'));
  try {
    const resultFile = join(folder, 'result.json');
    const status = runJest(resultFile);
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

let outcome;
try {
  outcome = await test();
} catch (error) {
  outcome = { passed: 0, failed: 1, why: error.message };
}
if (outcome.why) console.error(outcome.why);
console.log(`${outcome.passed} passed, ${outcome.failed} failed`);
process.exitCode = outcome.failed === 0 ? 0 : 1;
