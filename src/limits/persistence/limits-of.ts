import { byCharacters } from '../../database/dialect.js';
import type { Tx, Work } from '../../database/sql.js';
import { LIMIT_KINDS } from '../domain/limit.js';

/** How a `subjectKey` of an organization or a principal begins, up to the comma behind its name. */
export function beginningOf(name: string, isOrganization: boolean): string {
  return isOrganization ? `[${JSON.stringify(name)}` : `[null,${JSON.stringify(name)}`;
}

/** A range of an index: the text begins with these and a comma, behind which the next character is `-`. */
function beginsWith(column: string, before: string): string {
  const beginning = `'${before}' || CAST(? AS text)`;
  return `${column} >= ${beginning} || ',' AND ${column} < ${beginning} || '-'`;
}

/** Limits made through the API whose subject begins with {@link beginningOf}. */
export function limitsOf(dialect: Tx['dialect']): string {
  return beginsWith(byCharacters('subject', dialect), '');
}

/** Their counters, those of declared limits as well. */
export function countersOf(dialect: Tx['dialect']): string {
  const column = byCharacters('counter', dialect);
  const ranges = LIMIT_KINDS.map(
    (kind) => `SELECT counter FROM limit_counters WHERE ${beginsWith(column, `${kind} `)}`,
  );
  return `counter IN (${ranges.join(' UNION ALL ')})`;
}

type Owner = 'principal' | 'organization';

/** Whether limits were made through the API for an owner. */
export function hasLimits(owner: Owner): (tx: Tx, id: string) => Work<boolean> {
  return function* (tx, id) {
    const sql = `SELECT id FROM limits WHERE ${limitsOf(tx.dialect)}`;
    const rows = yield* tx.all(`${sql} LIMIT 1`, paramsOf(sql, owner, id));
    return rows.length > 0;
  };
}

/** Deletes what was counted of an owner for limits. */
export function forgetCounters(owner: Owner): (tx: Tx, id: string) => Work<unknown> {
  return (tx, id) => {
    const sql = `DELETE FROM limit_counters WHERE ${countersOf(tx.dialect)}`;
    return tx.run(sql, paramsOf(sql, owner, id));
  };
}

function paramsOf(sql: string, owner: Owner, id: string): string[] {
  const beginning = beginningOf(id, owner === 'organization');
  return Array<string>(sql.split('?').length - 1).fill(beginning);
}
