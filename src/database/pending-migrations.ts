import type { Database } from './database.js';
import { MIGRATIONS } from './migrations/index.js';

/** Where TypeORM keeps the names of the migrations that ran. */
export const MIGRATIONS_TABLE = 'migrations';

/** Names of the hub's migrations that this database does not have yet. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const rows = await database.read<{ name: string }>(`SELECT name FROM ${MIGRATIONS_TABLE}`);
  const done = new Set(rows.map((row) => row.name));
  return MIGRATIONS.map((migration) => migration.name).filter((name) => !done.has(name));
}
