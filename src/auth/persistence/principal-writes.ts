import { Revision } from '../../database/revision.js';
import type { Scope } from '../../common/scope.js';
import { forUpdate } from '../../database/rows.js';
import type { Tx, Work } from '../../database/sql.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import { PrincipalEntity } from './principal.entity.js';

/*
 * Statements that keep the status of principals. Whoever uses them locks the principal first
 * ({@link lockPrincipal}) and raises the revision last of all locks.
 */

export const PRINCIPALS = new Table(PrincipalEntity);
export const PRINCIPAL = PRINCIPALS.selectBut('unreconciled');
export type PrincipalRow = ReturnType<typeof PRINCIPAL.read>;

export const REVISION = new Revision('principal_revisions');

/** The principal; no other transaction changes it, or adds or revokes a key of it, until the transaction ends. */
export function* lockPrincipal(tx: Tx, id: string): Work<PrincipalRow | undefined> {
  const sql = `SELECT ${PRINCIPAL.names} FROM principals WHERE id = ?${forUpdate(tx)}`;
  const [row] = yield* tx.all<DatabaseRow>(sql, [id]);
  return row && PRINCIPAL.read(row);
}

/** Whether the principal has a credential that counts, with the scopes that are asked for. */
function has(scoped: string, principals = 'principals'): string {
  return `EXISTS (SELECT 1 FROM api_keys c
      WHERE c.principal_id = ${principals}.id AND c.revoked_at IS NULL AND c.expired = 0 ${scoped})
    OR EXISTS (SELECT 1 FROM identities c
      WHERE c.principal_id = ${principals}.id AND c.expired = 0 ${scoped})`;
}

const HOLDS_ADMIN = 'c.admin = 1';
/** Whether a credential has the scope. */
function holding(scope: Scope): string {
  return `c.scopes LIKE '%"${scope}"%'`;
}

/** 1 where a credential that counts has the scope, or the configuration lets the principal in. */
export function holdsScope(scope: Scope, principals: string): string {
  const held = has(`AND (${HOLDS_ADMIN} OR ${holding(scope)})`, principals);
  return `CASE WHEN ${principals}.built_in = 1 OR ${held} THEN 1 ELSE 0 END`;
}

/** Lists of scopes, of the valid credentials of one principal or of all of an organization; its name stands twice in the parameters. */
export const SCOPES_OF = {
  principal: scopesWhere('p.id = ?'),
  organization: scopesWhere('p.organization = ?'),
};

function scopesWhere(condition: string): string {
  return `SELECT c.scopes AS scopes FROM api_keys c JOIN principals p ON p.id = c.principal_id
      WHERE ${condition} AND c.revoked_at IS NULL AND c.expired = 0
    UNION SELECT c.scopes AS scopes FROM identities c JOIN principals p ON p.id = c.principal_id
      WHERE ${condition} AND c.expired = 0`;
}

/** The scopes in these lists. */
export function scopesIn(rows: readonly { readonly scopes: string }[]): Scope[] {
  return [...new Set(rows.flatMap(({ scopes }) => JSON.parse(scopes) as Scope[]))];
}

/** The scopes that valid credentials give now; they do not change until the transaction ends, where the principals are locked. */
export function* scopesHeld(tx: Tx, of: keyof typeof SCOPES_OF, name: string): Work<Scope[]> {
  return scopesIn(yield* tx.all<{ scopes: string }>(SCOPES_OF[of], [name, name]));
}

/** The time stays while there is no such credential; it goes with the first one. */
function since(column: string, scoped: string): string {
  return `${column} = CASE WHEN built_in = 1 OR ${has(scoped)} THEN NULL
    ELSE COALESCE(${column}, CAST(? AS bigint)) END`;
}

/**
 * Notes what keys and sign-ins a principal has, and gives it as it is then, after one was added, was revoked or has
 * expired, `before` being what was known.
 */
export function* noteCredentials(
  tx: Tx,
  id: string,
  before: PrincipalRow,
  at: number,
): Work<PrincipalRow> {
  const [row] = yield* tx.all<DatabaseRow>(
    `UPDATE principals SET ${since('keyless_since', '')},
       ${since('narrow_since', `AND (${HOLDS_ADMIN} OR ${holding('tasks:organization')} OR ${holding('tasks:all')})`)},
       ${since('plain_since', `AND (${HOLDS_ADMIN} OR ${holding('push:all')})`)}
     WHERE id = ? RETURNING ${PRINCIPAL.names}`,
    [at, at, at, id],
  );
  const after = PRINCIPAL.read(row!);
  const isBack = (['keylessSince', 'narrowSince', 'plainSince'] as const).some(
    (since) => before[since] !== null && after[since] === null,
  );
  if (isBack) yield* markUnreconciled(tx, id);
  return after;
}

/** Has what belongs to the principal looked through. */
export function* markUnreconciled(tx: Tx, id: string): Work<void> {
  const revision = yield* REVISION.raise(tx);
  yield* tx.run('UPDATE principals SET unreconciled = ? WHERE id = ?', [revision, id]);
}
