import type { Tx, Work } from '../../database/sql.js';

/*
 * Statements that keep the status of principals. Whoever uses them locks the principal first
 * ({@link lockPrincipal}) and raises the revision last of all locks.
 */

export interface PrincipalRow {
  readonly id: string;
  readonly organization: string;
  readonly built_in: number;
  readonly created_at: number | string;
  readonly disabled_at: number | string | null;
  readonly keyless_since: number | string | null;
  readonly narrow_since: number | string | null;
  readonly plain_since: number | string | null;
}

/** The principal; nobody else changes it, or adds or revokes a key of it, until the transaction ends. */
export function* lockPrincipal(tx: Tx, id: string): Work<PrincipalRow | undefined> {
  const lock = tx.dialect === 'postgres' ? ' FOR UPDATE' : '';
  const [row] = yield* tx.all<PrincipalRow>(`SELECT * FROM principals WHERE id = ?${lock}`, [id]);
  return row;
}

/** The revision after this change. */
export function* raiseRevision(tx: Tx): Work<number> {
  const [row] = yield* tx.all<{ revision: number | string }>(
    'UPDATE principal_revisions SET revision = revision + 1 WHERE id = 1 RETURNING revision',
  );
  return Number(row!.revision);
}

const VALID = `SELECT 1 FROM api_keys k
  WHERE k.principal_id = principals.id AND k.revoked_at IS NULL AND k.expired = 0`;

/** The time stays while no such key is valid; it goes with the first that is. */
function since(column: string, scoped: string): string {
  return `${column} = CASE WHEN built_in = 1 OR EXISTS (${VALID} ${scoped}) THEN NULL
    ELSE COALESCE(${column}, CAST(? AS bigint)) END`;
}

/** Notes what keys a principal has, and gives it as it is then, after one was added, was revoked or has expired, `before` being what was known. */
export function* noteKeys(
  tx: Tx,
  id: string,
  before: PrincipalRow,
  at: number,
): Work<PrincipalRow> {
  const [after] = yield* tx.all<PrincipalRow>(
    `UPDATE principals SET ${since('keyless_since', '')},
       ${since('narrow_since', `AND (k.admin = 1 OR k.scopes LIKE '%"tasks:organization"%')`)},
       ${since('plain_since', 'AND k.admin = 1')}
     WHERE id = ? RETURNING *`,
    [at, at, at, id],
  );
  const isBack = (['keyless_since', 'narrow_since', 'plain_since'] as const).some(
    (column) => before[column] !== null && after![column] === null,
  );
  if (isBack) yield* markUnsettled(tx, id);
  return after!;
}

/** Has what belongs to the principal looked through. */
export function* markUnsettled(tx: Tx, id: string): Work<void> {
  const revision = yield* raiseRevision(tx);
  yield* tx.run('UPDATE principals SET unreconciled = ? WHERE id = ?', [revision, id]);
}
