// Jest's globalTeardown; see start-postgres.mjs.
export default async function stopPostgres() {
  await globalThis.postgresServer?.stop();
}
