import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SecretBox, SecretLockedError, isSealed, sealedBy } from '../common/secret-box.js';
import { Schema } from '../database/schema.js';
import type { SealedForm, SealedTable } from '../database/sealed-columns.js';
import { type SealedValue, SecretCensus } from './secret-census.js';
import { type RowKey, type SealedRow, SealedValueStore } from './sealed-value-store.js';

/** Rows looked at in one piece of work. Opening a value takes some microseconds. */
const PAGE = 50;

/** Goes through every secret of the database, page by page, so that other work goes on beside it. */
@Injectable()
export class SecretWalk {
  constructor(
    private readonly store: SealedValueStore,
    private readonly secrets: SecretBox,
    private readonly schema: Schema,
  ) {}

  /** Counts the secrets by their keys, and changes nothing. */
  async count(): Promise<SecretCensus> {
    const census = new SecretCensus();
    for await (const { columns } of this.rows()) {
      for (const value of columns.flatMap(({ values }) => values)) census.add(value);
    }
    return census;
  }

  /**
   * Seals with the present key what another one sealed, or none. It may be cut at any point and begun
   * anew, and run in several processes at once: a row is replaced only while it is as it was read.
   * Undefined when `signal` cut it.
   */
  async reseal(signal: AbortSignal): Promise<SecretCensus | undefined> {
    const census = new SecretCensus();
    for await (const { table, row, columns } of this.rows()) {
      if (signal.aborted) return undefined;
      const next = columns.map((column) => column.next);
      const isDue = next.some((value, i) => value !== row.values[i]);
      const moved = isDue && (await this.store.replace(table, row, next));
      for (const value of columns.flatMap(({ values }) => values)) {
        census.add(value, moved ? this.secrets.sealingKey : undefined);
      }
    }
    return census;
  }

  private async *rows(): AsyncGenerator<ExaminedRow, void, undefined> {
    for (const table of this.schema.sealedTables) {
      let after: RowKey | null = null;
      for (;;) {
        const rows: SealedRow[] = await this.store.page(table, after, PAGE);
        for (const row of rows) {
          const columns = table.columns.map(({ form }, i) =>
            this.examined(row.values[i] ?? null, form),
          );
          yield { table, row, columns };
        }
        after = rows.at(-1)?.key ?? null;
        if (rows.length < PAGE) break;
        await setImmediate();
      }
    }
  }

  private examined(stored: string | null, form: SealedForm): ExaminedColumn {
    if (stored === null) return { values: [], next: null };
    if (form === 'text') {
      const value = this.looked(stored);
      return { values: [value], next: value.next };
    }
    const members = Object.entries(JSON.parse(stored) as Record<string, string>);
    const values = members.map(([, member]) => this.looked(member));
    const isSame = values.every((value) => value.next === value.stored);
    const next = members.map(([name], i) => [name, values[i]?.next]);
    return { values, next: isSame ? stored : JSON.stringify(Object.fromEntries(next)) };
  }

  private looked(stored: string): SealedValue {
    const keyId = sealedBy(stored);
    const { secrets } = this;
    try {
      const secret = isSealed(stored) ? secrets.open(stored) : stored;
      const next = keyId === secrets.sealingKey ? stored : secrets.seal(secret);
      return { keyId, stored, next, readable: true };
    } catch (error) {
      if (!(error instanceof SecretLockedError)) throw error;
      const isMissing = keyId !== null && !secrets.keyIds.includes(keyId);
      return { keyId, stored, next: stored, readable: isMissing };
    }
  }
}

interface ExaminedRow {
  readonly table: SealedTable;
  readonly row: SealedRow;
  readonly columns: readonly ExaminedColumn[];
}

interface ExaminedColumn {
  readonly values: readonly SealedValue[];
  /** What the column should hold. */
  readonly next: string | null;
}
