import { HubError, invalidField } from '../../common/hub-error.js';
import type { Tx, Work } from '../../database/sql.js';
import { openDeletionOf } from './open-deletions.js';
import { markUnreconciled } from './principal-writes.js';

/*
 * Statements that keep principals and their organization together. The organization is locked before any principal
 * of it.
 */

/**
 * How the organization of a new principal stands, which does not change until the transaction ends. It is made when there
 * is none, unless it has to be there (`isListed`).
 */
export function* organizationFor(
  tx: Tx,
  id: string,
  at: Date,
  isListed: boolean,
): Work<'enabled' | 'disabled' | 'missing'> {
  if (!isListed) {
    yield* tx.run(
      `INSERT INTO organizations (id, labels, created_at) VALUES (?, '{}', ?)
       ON CONFLICT (id) DO NOTHING`,
      [id, at.getTime()],
    );
  }
  const lock = tx.dialect === 'postgres' ? ' FOR SHARE' : '';
  const [row] = yield* tx.all<{ disabled_at: number | null }>(
    `SELECT disabled_at FROM organizations WHERE id = ?${lock}`,
    [id],
  );
  if (row === undefined) return 'missing';
  return row.disabled_at === null ? 'enabled' : 'disabled';
}

/**
 * Makes a principal, and its organization, unless there is one of its id; whether it did. Throws HubError CONFLICT when
 * the organization is disabled or the data of either is being deleted, INVALID_PARAMS when it is not there and has to be.
 */
export function* admitPrincipal(
  tx: Tx,
  { id, organization, createdAt }: { id: string; organization: string; createdAt: Date },
  isListed: boolean,
): Work<boolean> {
  const known = yield* tx.all('SELECT id FROM principals WHERE id = ?', [id]);
  if (known.length > 0) return false;
  const state = yield* organizationFor(tx, organization, createdAt, isListed);
  const deletion = yield* openDeletionOf(tx, { organization }, { principal: id });
  if (deletion !== undefined) throw new HubError('CONFLICT', deletion);
  if (state === 'disabled') throw organizationIsDisabled(organization);
  if (state === 'missing') {
    const text = `there is no organization ${organization}: create it first (auth.organizations: listed)`;
    throw invalidField('organization', text);
  }
  const made = yield* tx.run(
    `INSERT INTO principals (id, organization, built_in, created_at) VALUES (?, ?, 0, ?)
     ON CONFLICT (id) DO NOTHING`,
    [id, organization, createdAt.getTime()],
  );
  return made === 1;
}

/**
 * Makes one of the hub's own principals, and its organization, unless they are there, and enables it: without them the hub
 * cannot be administered, so they are let in whatever became of their organization.
 */
export function* admitOwn(
  tx: Tx,
  { id, organization, createdAt }: { id: string; organization: string; createdAt: Date },
): Work<void> {
  yield* organizationFor(tx, organization, createdAt, false);
  yield* tx.run(
    `INSERT INTO principals (id, organization, built_in, created_at) VALUES (?, ?, 0, ?)
     ON CONFLICT (id) DO NOTHING`,
    [id, organization, createdAt.getTime()],
  );
  const enabled = yield* tx.run(
    `UPDATE principals SET disabled_at = NULL, disabled_by_operator = 0, organization_disabled_at = NULL
     WHERE id = ? AND (disabled_at IS NOT NULL OR organization_disabled_at IS NOT NULL)`,
    [id],
  );
  if (enabled > 0) yield* markUnreconciled(tx, id);
}

export function organizationIsDisabled(id: string): HubError {
  return new HubError('CONFLICT', `The organization ${id} is disabled: enable it first.`);
}
