import type { Database } from '../../src/database/database.js';

/** How SQLite does what `reads` reads of the tables named: the steps of all of its statements. */
export async function stepsOf(
  database: Database,
  reads: () => Promise<unknown>,
  tables: readonly string[] = ['tasks'],
): Promise<string[]> {
  const explained: string[] = [];
  const read = database.read.bind(database);
  database.read = (sql, params) => {
    if (tables.some((table) => sql.includes(`FROM ${table}`))) explained.push(sql);
    return read(sql, params);
  };
  try {
    await reads();
  } finally {
    database.read = read;
  }
  const details = await Promise.all(
    explained.map((sql) =>
      read<{ detail: string }>(
        `EXPLAIN QUERY PLAN ${sql}`,
        Array(sql.split('?').length - 1).fill(null),
      ),
    ),
  );
  return details.flat().map(({ detail }) => detail);
}
