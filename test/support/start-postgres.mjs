// Jest's globalSetup of the tests that may use PostgreSQL: when it cannot start, the run ends here, with the reason.
import { startPostgresServer } from './postgres-server.mjs';

export default async function startPostgres() {
  const server = await startPostgresServer();
  globalThis.postgresServer = server;
  process.env.TEST_POSTGRES_URL = server.url;
}
