// Jest's globalSetup of the tests: what all test files of a run share. When PostgreSQL cannot start, the run ends
// here, with the reason.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgresServer } from './postgres-server.mjs';

export default async function startRun() {
  const server = await startPostgresServer();
  const folder = mkdtempSync(join(tmpdir(), 'hub-tests-'));
  globalThis.testRun = { server, folder };
  process.env.TEST_POSTGRES_URL = server.url;
  process.env.TEST_RUN_FOLDER = folder;
}
