import type { MigrationInterface } from 'typeorm';
import { type SealedTable, sealedTablesOf } from './sealed-columns.js';

/** A class with TypeORM's `@Entity`. */
export type EntityClass = new () => object;

/** A migration; its name ends in the time it was written, by which all of them are ordered. */
export type MigrationClass = new () => MigrationInterface;

/** The tables of one feature, or of one room of it. Each `persistence/` has one, in `schema.ts`. */
export interface SchemaPart {
  /** They document the columns and let a test prove that the migrations build exactly them; stores use SQL. */
  readonly entities: readonly EntityClass[];
  /** Oldest first; a released one never changes. */
  readonly migrations: readonly MigrationClass[];
  /** Tables with encrypted columns that are not named `sealed_…`. */
  readonly sealed?: readonly SealedTable[];
}

/** The tables of all features together. The composition root has the one of the hub. */
export class Schema {
  readonly entities: readonly EntityClass[];
  readonly migrations: readonly MigrationClass[];
  /**
   * Every place of the database that holds secrets: what is re-encrypted when the keys change, and what is
   * counted. A new table is in it as soon as its entity has columns named `sealed_…`.
   */
  readonly sealedTables: readonly SealedTable[];

  constructor(parts: readonly SchemaPart[]) {
    this.entities = parts.flatMap(({ entities }) => entities);
    this.migrations = parts
      .flatMap(({ migrations }) => migrations)
      .sort((a, b) => timeOf(a) - timeOf(b));
    this.sealedTables = [
      ...parts.flatMap(({ sealed = [] }) => sealed),
      ...sealedTablesOf(this.entities),
    ];
  }
}

function timeOf({ name }: MigrationClass): number {
  return Number(/\d{13}$/.exec(name)?.[0]);
}
