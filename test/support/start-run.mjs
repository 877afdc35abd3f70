// Jest's globalSetup of the tests: what all test files of a run share. When PostgreSQL cannot start, the run ends
// here, with the reason.
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgresServer } from './postgres-server.mjs';

export default async function startRun() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // Whoever stops a run finds as little of it left as who waits for its end.
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
  const server = await startPostgresServer();
  const folder = mkdtempSync(join(tmpdir(), 'hub-tests-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  globalThis.testRun = { server, folder };
  process.env.TEST_POSTGRES_URL = server.url;
  process.env.TEST_RUN_FOLDER = folder;
  // The folders of tests are in that of the run: none outlives it, whatever became of a test.
  process.env.TMPDIR = folder;
}
