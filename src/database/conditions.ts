import type { SqlValue } from './sql.js';

/** A condition on the columns of a query and its parameters. */
export interface Condition {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

export function condition(sql: string, ...params: readonly SqlValue[]): Condition {
  return { sql, params };
}

/** Where all of them hold; nothing when there are none. */
export function where(conditions: readonly Condition[]): string {
  if (conditions.length === 0) return '';
  return ` WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
}

/** The parameters in the order of {@link where}. */
export function paramsOf(conditions: readonly Condition[]): SqlValue[] {
  return conditions.flatMap(({ params }) => params);
}

/** All of them as one condition; null ones are left out. */
export function allOf(conditions: readonly (Condition | null)[]): Condition {
  const given = conditions.filter((each) => each !== null);
  return {
    sql: given.map(({ sql }) => sql).join(' AND ') || '1 = 1',
    params: given.flatMap(({ params }) => params),
  };
}

/** At least one of them as one condition. */
export function anyOf(conditions: readonly Condition[]): Condition {
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(' OR ')})`,
    params: paramsOf(conditions),
  };
}
