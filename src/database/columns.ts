import { toDate } from './rows.js';
import { storable } from './text.js';

/*
 * How values of the hub are kept in columns: transformers for TypeORM's `@Column`, which `Table` reads too.
 * NULL stays null in all of them.
 */

export interface Transformer {
  readonly to: (value: never) => string | number | null;
  readonly from: (value: never) => unknown;
}

/** A Date as epoch milliseconds, in a `bigint`. */
export const DATE: Transformer = {
  to: (date: Date | null) => (date === null ? null : date.getTime()),
  from: toDate,
};

/** A boolean as 0 or 1, in a `smallint`. */
export const FLAG: Transformer = {
  to: (value: boolean | null) => (value === null ? null : value ? 1 : 0),
  from: (value: number | null) => (value === null ? null : value === 1),
};

/** Any JSON value, in a `text`. */
export const JSON_TEXT: Transformer = {
  to: (value: unknown) => (value === null ? null : JSON.stringify(value)),
  from: (text: string | null): unknown => (text === null ? null : JSON.parse(text)),
};

/** Text from outside, which may hold what no database does; see {@link storable}. */
export const TEXT: Transformer = {
  to: (text: string | null) => storable(text),
  from: (text: string | null) => text,
};
