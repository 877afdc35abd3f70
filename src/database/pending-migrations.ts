import type { DataSource } from 'typeorm';
import type { Database } from './database.js';

/** Where TypeORM keeps the names of the migrations that ran. */
export const MIGRATIONS_TABLE = 'migrations';

/** Names of the hub's migrations that this database does not have yet. */
export async function pendingMigrations(
  source: DataSource,
  database: Pick<Database, 'read'>,
): Promise<string[]> {
  return missingOf(source, await database.read<Ran>(`SELECT name FROM ${MIGRATIONS_TABLE}`));
}

/** A migration that a database has run. */
export interface Ran {
  readonly name: string;
}

/** Names of the hub's migrations that are not among these. */
export function missingOf(source: DataSource, done: readonly Ran[]): string[] {
  const names = new Set(done.map(({ name }) => name));
  return namesOf(source).filter((name) => !names.has(name));
}

/** The first of the migrations that a database has run and this version does not have; undefined without one. */
export function unknownMigration(source: DataSource, done: readonly Ran[]): string | undefined {
  const known = new Set(namesOf(source));
  return done.find(({ name }) => !known.has(name))?.name;
}

function namesOf({ migrations }: DataSource): string[] {
  return migrations.map((migration) => migration.name ?? migration.constructor.name);
}
