import { longTurn } from '../common/long-work.js';
import { type DataOwner, type DataRecord, OwnedData } from '../common/owned-data.js';
import { PieceSize } from '../common/piece-size.js';
import type { Database } from './database.js';
import type { Revision } from './revision.js';
import { forUpdate } from './rows.js';
import type { SqlValue, Tx, Work } from './sql.js';
import { type Selection, Table } from './table.js';
import { pieceOf, timed } from './timed.js';

/** Keys counted, records read, and rows deleted in one piece. */
const COUNTED = 1000;
const READ = 100;
const DELETED = 500;

/** Which rows of a table are whose. */
export interface OwnedTable<T extends object> {
  readonly kind: string;
  readonly entity: new () => T;
  /** Columns that order the rows: those of an index, behind the ones that the conditions name. */
  readonly key: readonly string[];
  /** Conditions in which every `?` stands for the name of the owner. */
  readonly ofOrganization?: string;
  readonly ofPrincipal?: string;
  /** What the conditions compare with, for the name of an owner; without it the name itself. */
  readonly comparedWith?: (name: string, isOrganization: boolean) => string;
  /** A statement that goes before a deletion, in its transaction, for the rows with this condition. */
  readonly before?: (condition: string) => string;
  /** Properties that an export does not show. */
  readonly hidden?: readonly (keyof T & string)[];
  /** Raised when rows are deleted, for those who have them in memory. */
  readonly revision?: Revision;
  /** Whoever changes such rows locks the revision before them: so does a deletion, or two of them could wait for each other. */
  readonly isRevisionFirst?: boolean;
}

/** {@link OwnedData} that is rows of one table. */
export class OwnedRows<T extends object> extends OwnedData {
  readonly kind: string;
  readonly tables: readonly string[];
  override readonly isOfPrincipals: boolean;
  private readonly table: string;
  private readonly columns: string;
  private readonly selection: Selection<T>;
  private readonly size = new PieceSize(8, DELETED, 64);

  constructor(
    private readonly database: Database,
    private readonly rules: OwnedTable<T>,
  ) {
    super();
    const table = new Table(rules.entity);
    this.kind = rules.kind;
    this.table = table.name;
    this.tables = [table.name];
    this.columns = rules.key.join(', ');
    this.selection = table.select() as unknown as Selection<T>;
    this.isOfPrincipals = rules.ofOrganization === undefined;
  }

  async count(owner: DataOwner): Promise<number> {
    let count = 0;
    for await (const keys of this.walk(owner, COUNTED, this.columns)) count += keys.length;
    return count;
  }

  async *records(owner: DataOwner): AsyncGenerator<readonly DataRecord[]> {
    for await (const rows of this.walk(owner, READ, this.selection.names)) {
      yield rows.map((row) => this.shown(this.selection.read(row)));
    }
  }

  delete(owner: DataOwner): Promise<number> {
    const mine = this.condition(owner);
    if (mine === undefined) return Promise.resolve(0);
    const limit = pieceOf(this.database, this.size, DELETED);
    return this.database.write((tx) => timed(tx, this.size, this.piece(tx, mine, limit)));
  }

  private *piece(
    tx: Tx,
    { sql, params }: { readonly sql: string; readonly params: readonly SqlValue[] },
    limit: number,
  ): Work<number> {
    const { table, columns } = this;
    const { before, revision, isRevisionFirst = false } = this.rules;
    if (revision !== undefined && isRevisionFirst) yield* revision.lock(tx);
    if (before !== undefined) yield* tx.run(before(sql), params);
    const deleted = yield* tx.run(
      `DELETE FROM ${table} WHERE (${columns}) IN
         (SELECT ${columns} FROM ${table} WHERE ${sql} ORDER BY ${columns} LIMIT ?${forUpdate(tx)})`,
      [...params, limit],
    );
    if (deleted > 0 && revision !== undefined) yield* revision.raise(tx);
    return deleted;
  }

  private async *walk(
    owner: DataOwner,
    limit: number,
    names: string,
  ): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]> {
    const mine = this.condition(owner);
    if (mine === undefined) return;
    const { key } = this.rules;
    const marks = key.map(() => '?').join(', ');
    for (let after: readonly SqlValue[] = []; ;) {
      await longTurn();
      const rows = await this.database.read<Record<string, unknown>>(
        `SELECT ${names} FROM ${this.table} WHERE (${mine.sql})
           ${after.length === 0 ? '' : `AND (${this.columns}) > (${marks})`}
         ORDER BY ${this.columns} LIMIT ?`,
        [...mine.params, ...after, limit],
      );
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit) return;
      after = key.map((name) => last[name] as SqlValue);
    }
  }

  private condition(
    owner: DataOwner,
  ): { readonly sql: string; readonly params: readonly SqlValue[] } | undefined {
    const { ofOrganization, ofPrincipal, comparedWith } = this.rules;
    const isOrganization = 'organization' in owner;
    const sql = isOrganization ? ofOrganization : ofPrincipal;
    if (sql === undefined) return undefined;
    const name = isOrganization ? owner.organization : owner.principal;
    return {
      sql,
      params: Array<SqlValue>(sql.split('?').length - 1).fill(
        comparedWith?.(name, isOrganization) ?? name,
      ),
    };
  }

  private shown(row: T): DataRecord {
    const { hidden = [] } = this.rules;
    const shown: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(row)) {
      if (hidden.includes(name as keyof T & string)) continue;
      if (!name.startsWith('sealed')) shown[name] = value;
      else shown[withoutSealed(name)] = value === null ? null : 'set';
    }
    return shown;
  }
}

/** `sealedToken`: what stands there is the token, once it is not sealed. */
function withoutSealed(name: string): string {
  const rest = name.slice('sealed'.length);
  return rest.charAt(0).toLowerCase() + rest.slice(1);
}
