import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { SealedTable } from '../../database/sealed-columns.js';
import type { SqlValue } from '../../database/sql.js';
import { type RowKey, type SealedRow, SealedValueStore } from '../sealed-value-store.js';

/** {@link SealedValueStore} on the hub's database. Names of tables and columns are the hub's own. */
@Injectable()
export class SqlSealedValueStore extends SealedValueStore {
  constructor(private readonly database: Database) {
    super();
  }

  async page(table: SealedTable, after: RowKey | null, limit: number): Promise<SealedRow[]> {
    const key = table.key.join(', ');
    const columns = table.columns.map(({ name }) => name);
    const conditions: string[] = [];
    const params: SqlValue[] = [];
    if (after !== null) {
      conditions.push(`(${key}) > (${marks(after.length)})`);
      params.push(...after);
    }
    if (table.only !== undefined) {
      conditions.push(`${key} IN (${marks(table.only.length)})`);
      params.push(...table.only);
    }
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const rows = await this.database.read<Record<string, string | number | null>>(
      `SELECT ${key}, ${columns.join(', ')} FROM ${table.table} ${where} ORDER BY ${key} LIMIT ?`,
      [...params, limit],
    );
    return rows.map((row) => ({
      key: table.key.map((name) => row[name] ?? ''),
      values: columns.map((name) => row[name]?.toString() ?? null),
    }));
  }

  async replace(
    table: SealedTable,
    row: SealedRow,
    next: readonly (string | null)[],
  ): Promise<boolean> {
    const changed = table.columns.flatMap(({ name }, i) =>
      next[i] === row.values[i] ? [] : [{ name, from: row.values[i]!, to: next[i]! }],
    );
    const set = changed.map(({ name }) => `${name} = ?`).join(', ');
    const where = [...table.key, ...changed.map(({ name }) => name)].map((name) => `${name} = ?`);
    const count = await this.database.write((tx) =>
      tx.run(`UPDATE ${table.table} SET ${set} WHERE ${where.join(' AND ')}`, [
        ...changed.map(({ to }) => to),
        ...row.key,
        ...changed.map(({ from }) => from),
      ]),
    );
    return count > 0;
  }
}

function marks(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}
