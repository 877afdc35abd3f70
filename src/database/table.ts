import { getMetadataArgsStorage } from 'typeorm';
import type { Transformer } from './columns.js';
import type { Database } from './database.js';
import { byRows, pieces, rowsOf } from './multi-row.js';
import { RowUpdate, type UpdatedColumn } from './row-update.js';
import type { SqlValue, Tx, Work } from './sql.js';

/** A row as the database gives it, by the names of its columns. */
export type DatabaseRow = Readonly<Record<string, unknown>>;

const NOTHING_DERIVED: Readonly<Record<string, Derivation>> = {};

interface TableColumn {
  /** The property of the entity. */
  readonly key: string;
  readonly name: string;
  /** Its SQL type. */
  readonly type: string;
  readonly isPrimary: boolean;
  readonly to: (value: unknown) => SqlValue;
  /** Undefined: the value is what the database gives. */
  readonly from: ((value: unknown) => unknown) | undefined;
}

/** Values that follow from the others of a row, by property: so no row has to be put together for them. */
type Derived<T, D extends keyof T, Row> = { readonly [K in D]: (row: Row) => T[K] };
type Derivation = (row: never) => unknown;

/** What a column becomes in an update, with `NEW` for the value given; by property. */
type Assignments<T> = { readonly [K in keyof T]?: string };

/**
 * The statements that follow from an entity's columns, each of which is declared there and nowhere else:
 * its name, its type and how its value is kept. Conditions, joins and locks are written as SQL by the stores.
 */
export class Table<T extends object> {
  readonly name: string;
  private readonly columns: readonly TableColumn[];

  constructor(entity: new () => T) {
    const { tables, columns } = getMetadataArgsStorage();
    const name = tables.find(({ target }) => target === entity)?.name;
    if (name === undefined) throw new Error(`${entity.name} is not an entity with a table name`);
    this.name = name;
    this.columns = columns
      .filter(({ target }) => target === entity || isBase(target, entity))
      .map(({ propertyName, options }) => {
        const transformer = options.transformer as Transformer | undefined;
        return {
          key: propertyName,
          name: options.name ?? propertyName,
          type: String(options.type),
          isPrimary: options.primary === true,
          to: (transformer?.to ?? identity) as TableColumn['to'],
          from: transformer?.from as TableColumn['from'],
        };
      });
  }

  /** Reads these properties; without any, all of them. */
  select<K extends keyof T & string = keyof T & string>(
    ...keys: readonly K[]
  ): Selection<Pick<T, K>> {
    return new Selection(this.name, this.of(keys));
  }

  /** Reads all properties but these. */
  selectBut<K extends keyof T & string>(...keys: readonly K[]): Selection<Omit<T, K>> {
    return new Selection(
      this.name,
      this.columns.filter(({ key }) => !keys.includes(key as K)),
    );
  }

  /**
   * Inserts rows with all properties but `defaults`, which get the default of the database. `end`: what follows the values in the
   * statement, such as `ON CONFLICT (id) DO NOTHING RETURNING id`.
   */
  insert<K extends keyof T & string = never>(
    end = '',
    ...defaults: readonly K[]
  ): RowInsert<Omit<T, K>> {
    const columns = this.columns.filter(({ key }) => !defaults.includes(key as K));
    return new RowInsert(this.name, columns, end);
  }

  /** Inserts rows with all properties, or replaces those of their primary key; `end` follows in the statement. */
  upsert(end = ''): RowInsert<T> {
    const key = this.columns.filter(({ isPrimary }) => isPrimary).map(({ name }) => name);
    const others = this.columns.filter(({ isPrimary }) => !isPrimary);
    const set = others.map(({ name }) => `${name} = excluded.${name}`).join(', ');
    return this.insert(`ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${set} ${end}`);
  }

  /** A row as the database keeps it, in the order of the columns. */
  values(row: T): SqlValue[] {
    const params: SqlValue[] = [];
    pushValues(params, this.columns, row);
    return params;
  }

  /** Updates these properties of rows (without any, all of them), found by their `id`; null where an assignment makes something of it. */
  update<K extends keyof T & string = keyof T & string>(
    keys: readonly K[] = [],
    assignments: Assignments<Pick<T, K>> = {},
  ): TableUpdate<{ readonly [P in K]: T[P] | null }> {
    const columns = this.of(keys).filter(({ isPrimary }) => !isPrimary);
    const changes = changesOf(columns, assignments);
    return new TableUpdate(new RowUpdate(this.name, changes, this.idName()), columns);
  }

  /**
   * Updates these properties of the rows whose `guard` is still what was expected of it, and gives of those
   * what is asked for: who finds a row missing was too late.
   */
  guardedUpdate<K extends keyof T & string, G extends keyof T & string, R extends keyof T & string>(
    keys: readonly K[],
    assignments: Assignments<Pick<T, K>>,
    guard: G,
    returned: readonly R[],
  ): GuardedUpdate<{ readonly [P in K]: T[P] | null }, T[G], Pick<T, R>> {
    const columns = this.of(keys);
    const [column] = this.of([guard]);
    const selection = this.select(...returned);
    const update = new RowUpdate(this.name, changesOf(columns, assignments), this.idName(), {
      column: column!,
      returning: selection.names,
    });
    return new GuardedUpdate(update, columns, selection);
  }

  /** Updates all properties of rows but these. */
  updateBut<K extends keyof T & string>(...keys: readonly K[]): TableUpdate<Omit<T, K>> {
    const columns = this.columns.filter(
      ({ key, isPrimary }) => !isPrimary && !keys.includes(key as K),
    );
    return new TableUpdate(new RowUpdate(this.name, columns, this.idName()), columns);
  }

  /** The column of the property `id`. */
  private idName(): string {
    return this.columns.find(({ key }) => key === 'id')?.name ?? 'id';
  }

  private of(keys: readonly string[]): TableColumn[] {
    if (keys.length === 0) return [...this.columns];
    return keys.map((key) => {
      const column = this.columns.find((each) => each.key === key);
      if (column === undefined) throw new Error(`${this.name} has no column for ${key}`);
      return column;
    });
  }
}

/** Some columns of a table, and the objects that are read from them. */
export class Selection<T extends object> {
  /** Their names, for a SELECT or RETURNING. */
  readonly names: string;

  constructor(
    private readonly table: string,
    private readonly columns: readonly TableColumn[],
    private readonly prefix = '',
    names = columns.map(({ name }) => name),
  ) {
    this.names = names.join(', ');
  }

  /** Their names behind the alias of the table. */
  namesOf(alias: string): string {
    return this.columns.map(({ name }) => `${alias}.${name}`).join(', ');
  }

  /** The same for a join of tables with such aliases: each column gets a name that no other table has. */
  as(alias: string): Selection<T> {
    const names = this.columns.map(({ name }) => `${alias}.${name} AS ${alias}_${name}`);
    return new Selection(this.table, this.columns, `${alias}_`, names);
  }

  /** The object of a row, which may have other columns beside these. */
  readonly read = (row: DatabaseRow): T => {
    const object: Record<string, unknown> = {};
    for (const { key, name, from } of this.columns) {
      const value = row[this.prefix + name];
      object[key] = from === undefined ? value : from(value);
    }
    return object as T;
  };

  /** The objects of `SELECT … FROM table`, continued by `rest`: conditions, order, locks. */
  *all(tx: Tx, rest: string, params: readonly SqlValue[] = []): Work<T[]> {
    const rows = yield* tx.all<DatabaseRow>(this.query(rest), params);
    return rows.map(this.read);
  }

  /** The same outside of a transaction. */
  async list(database: Database, rest: string, params: readonly SqlValue[] = []): Promise<T[]> {
    const rows = await database.read<DatabaseRow>(this.query(rest), params);
    return rows.map(this.read);
  }

  /** The objects of the rows that a statement has changed. */
  *returning(tx: Tx, sql: string, params: readonly SqlValue[] = []): Work<T[]> {
    const rows = yield* tx.all<DatabaseRow>(`${sql} RETURNING ${this.names}`, params);
    return rows.map(this.read);
  }

  private query(rest: string): string {
    return `SELECT ${this.names} FROM ${this.table} ${rest}`;
  }
}

/** An INSERT of rows, in few statements. */
export class RowInsert<T extends object> {
  private readonly textFor: (rows: number) => string;
  private readonly returns: boolean;

  constructor(
    table: string,
    private readonly columns: readonly TableColumn[],
    end: string,
  ) {
    this.returns = end.includes('RETURNING');
    const begin = `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')}) VALUES `;
    this.textFor = byRows((rows) => `${begin}${rowsOf(rows, columns.length)} ${end}`);
  }

  /** One row; how many rows that changed. */
  *one(tx: Tx, row: T): Work<number> {
    const params: SqlValue[] = [];
    pushValues(params, this.columns, row);
    return yield* tx.run(this.textFor(1), params);
  }

  /** What the statement returns. `derived`: what the rows themselves do not have. */
  *apply<Row extends object, D extends keyof T = never, R = DatabaseRow>(
    tx: Tx,
    rows: readonly (Row & Omit<T, D>)[],
    derived?: Derived<T, D, Row>,
  ): Work<R[]> {
    const returned: R[] = [];
    for (const piece of pieces(rows)) {
      const params: SqlValue[] = [];
      for (const row of piece) pushValues(params, this.columns, row, derived);
      const sql = this.textFor(piece.length);
      if (!this.returns) yield* tx.run(sql, params);
      else for (const each of yield* tx.all<R>(sql, params)) returned.push(each);
    }
    return returned;
  }
}

/** An UPDATE of rows by their id, each with values of its own. */
export class TableUpdate<T extends object> {
  constructor(
    private readonly rowUpdate: RowUpdate,
    private readonly columns: readonly TableColumn[],
  ) {}

  /** `derived`: what the rows themselves do not have. */
  *apply<Row extends { readonly id: string }, D extends keyof T = never>(
    tx: Tx,
    rows: readonly (Row & Omit<T, D>)[],
    derived?: Derived<T, D, Row>,
  ): Work<void> {
    yield* this.rowUpdate.apply(tx, rows, (params, row) => {
      pushValues(params, this.columns, row, derived);
      params.push(row.id);
    });
  }
}

/** An UPDATE of rows by their id where one column is as expected. */
export class GuardedUpdate<T extends object, G, R extends object> {
  constructor(
    private readonly rowUpdate: RowUpdate,
    private readonly columns: readonly TableColumn[],
    private readonly returned: Selection<R>,
  ) {}

  /** What was asked for of the rows that were as expected. */
  *apply(tx: Tx, rows: readonly (T & { readonly id: string; readonly expected: G })[]): Work<R[]> {
    const found = yield* this.rowUpdate.apply<(typeof rows)[number], DatabaseRow>(
      tx,
      rows,
      (params, row) => {
        pushValues(params, this.columns, row);
        params.push(row.id, row.expected as SqlValue);
      },
    );
    return found.map(this.returned.read);
  }
}

/** What an update writes. */
function changesOf<T>(
  columns: readonly TableColumn[],
  assignments: Assignments<T>,
): UpdatedColumn[] {
  return columns.map(({ key, name, type }) => {
    const set = assignments[key as keyof T];
    return { name, type, ...(set !== undefined && { set }) };
  });
}

function pushValues(
  params: SqlValue[],
  columns: readonly TableColumn[],
  row: object,
  derived: Readonly<Record<string, Derivation>> = NOTHING_DERIVED,
): void {
  const values = row as Readonly<Record<string, unknown>>;
  for (const { key, to } of columns) {
    const derive = derived[key];
    params.push(to(derive === undefined ? values[key] : derive(row as never)));
  }
}

/** Whether the entity has its columns, too. */
function isBase(target: unknown, entity: { readonly prototype: object }): boolean {
  return typeof target === 'function' && entity.prototype instanceof target;
}

function identity(value: unknown): unknown {
  return value;
}
