import type { SqlValue } from '../../database/sql.js';

/** What is counted stays here, so that it remains a number that is exact. */
const MOST = Number.MAX_SAFE_INTEGER;

/** A column with an amount added to it, {@link MOST} at most; its values: {@link added}. */
export function plus(column: string): string {
  return `CASE WHEN ${column} > ? THEN ${MOST} ELSE ${column} + ? END`;
}

export function added(amount: number): SqlValue[] {
  return [MOST - amount, amount];
}
