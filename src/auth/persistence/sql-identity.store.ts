import { Injectable } from '@nestjs/common';
import { HubError } from '../../common/hub-error.js';
import { IdSource } from '../../common/ids.js';
import { Database } from '../../database/database.js';
import type { Tx, Work } from '../../database/sql.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import type { Keyless } from '../api-key-store.js';
import { type Identity, IdentityStore, type SignIn } from '../identity-store.js';
import { SignInBlocks } from '../sign-in-blocks.js';
import { IdentityEntity } from './identity.entity.js';
import { organizationFor } from './organization-writes.js';
import { openDeletionOf } from './open-deletions.js';
import { noteExpiredCredentials } from './expired-credentials.js';
import { lockPrincipal, noteCredentials } from './principal-writes.js';

const IDENTITIES = new Table(IdentityEntity);
const IDENTITY = IDENTITIES.select('id', 'principalId', 'scopes', 'lastSeenAt', 'expired');
const INSERT = IDENTITIES.insert('ON CONFLICT (issuer, organization, subject) DO NOTHING');
const UPDATE = IDENTITIES.update(['scopes', 'admin', 'lastSeenAt', 'expiresAt', 'expired']);
const SELECT = `SELECT ${IDENTITY.namesOf('i')}, p.disabled_at, p.organization_disabled_at, p.groups
  FROM identities i JOIN principals p ON p.id = i.principal_id
  WHERE i.issuer = ? AND i.organization = ? AND i.subject = ?`;

/** How old what is known of a sign-in may become while it is used. */
const WRITE_EVERY_MS = 60_000;

interface Known extends Identity {
  readonly scopes: SignIn['scopes'];
  readonly lastSeenAt: Date;
  readonly expired: boolean;
}

/** {@link IdentityStore} on the hub's database. */
@Injectable()
export class SqlIdentityStore extends IdentityStore {
  constructor(
    private readonly database: Database,
    private readonly ids: IdSource,
    private readonly blocks: SignInBlocks,
  ) {
    super();
  }

  async signIn(caller: SignIn): Promise<Identity> {
    const rows = await this.database.read<DatabaseRow>(SELECT, keyOf(caller));
    const known = rows.map(toKnown)[0];
    if (known === undefined) {
      const block = await this.blocks.idFor(caller);
      const identity = await this.database.write((tx) => this.add(tx, caller, block));
      this.added();
      return identity;
    }
    const scopes = known.disabled !== null ? undefined : newScopes(known, caller);
    if (scopes !== undefined) {
      await this.database.write((tx) => renew(tx, known, { ...caller, scopes }));
    }
    return known;
  }

  async noteExpired(at: Date, lost?: (keyless: Keyless) => void): Promise<void> {
    await noteExpiredCredentials(this.database, 'identities', at, lost);
  }

  /** The caller's first sign-in; whoever is faster has made its principal. */
  private *add(tx: Tx, caller: SignIn, block: string): Work<Identity> {
    const { at, until, organization, isListed = false } = caller;
    if (yield* this.blocks.isBlocked(tx, block)) throw signInBlocked(caller, block);
    // Locks the organization before anything else.
    const state = yield* organizationFor(tx, organization, at, isListed);
    if (state !== 'enabled') throw signInRefused(caller, state);
    const deletion = yield* openDeletionOf(tx, { organization });
    if (deletion !== undefined) throw signInTooEarly(caller, deletion);
    const [id, principalId] = [this.ids.next(), this.ids.next()];
    const inserted = yield* INSERT.one(tx, {
      ...caller,
      id,
      principalId,
      admin: isAdmin(caller),
      createdAt: at,
      lastSeenAt: at,
      expiresAt: until,
      expired: false,
    });
    if (inserted === 1) {
      yield* tx.run(
        'INSERT INTO principals (id, organization, built_in, created_at) VALUES (?, ?, 0, ?)',
        [principalId, organization, at.getTime()],
      );
      const principal = (yield* lockPrincipal(tx, principalId))!;
      yield* noteCredentials(tx, principalId, principal, at.getTime());
      return { id, principalId, disabled: null, groups: [] };
    }
    const rows = yield* tx.all<DatabaseRow>(SELECT, keyOf(caller));
    return toKnown(rows[0]!);
  }
}

function* renew(tx: Tx, { id, principalId }: Identity, caller: SignIn): Work<void> {
  const principal = (yield* lockPrincipal(tx, principalId))!;
  const { scopes, at: lastSeenAt, until: expiresAt } = caller;
  const admin = isAdmin(caller);
  yield* UPDATE.apply(tx, [{ id, scopes, admin, lastSeenAt, expiresAt, expired: false }]);
  yield* noteCredentials(tx, principalId, principal, caller.at.getTime());
}

/**
 * The scopes to be written of a sign-in, undefined while what is known of it holds: a caller may use tokens with
 * different scopes in turns, so those of one minute are taken together.
 */
function newScopes(
  { scopes, lastSeenAt, expired }: Known,
  caller: SignIn,
): SignIn['scopes'] | undefined {
  const isOld = Math.abs(caller.at.getTime() - lastSeenAt.getTime()) >= WRITE_EVERY_MS;
  if (isOld || expired) return caller.scopes;
  const all = new Set([...scopes, ...caller.scopes]);
  return all.size > scopes.length ? [...all].sort() : undefined;
}

function isAdmin({ scopes }: SignIn): boolean {
  return scopes.includes('admin');
}

function signInRefused({ issuer, organization }: SignIn, state: 'disabled' | 'missing'): HubError {
  const [cause, text] =
    state === 'disabled'
      ? ['disabled-organization', `The organization ${organization} is disabled.`]
      : ['unknown-organization', `The organization ${organization} is not known to the hub.`];
  return new HubError('UNAUTHENTICATED', text, { refusal: { cause, issuer } });
}

function signInTooEarly({ issuer }: SignIn, deletion: string): HubError {
  return new HubError('UNAUTHENTICATED', deletion, { refusal: { cause: 'open-deletion', issuer } });
}

function signInBlocked({ issuer }: SignIn, block: string): HubError {
  const text = `The data of this caller was deleted, and the block ${block} keeps it from signing in again: an operator can lift it.`;
  return new HubError('UNAUTHENTICATED', text, { refusal: { cause: 'blocked-sign-in', issuer } });
}

function keyOf({ issuer, organization, subject }: SignIn): string[] {
  return [issuer, organization, subject];
}

function toKnown(row: DatabaseRow): Known {
  return {
    ...IDENTITY.read(row),
    disabled: disabledOf(row),
    groups: JSON.parse(row['groups'] as string) as string[],
  };
}

function disabledOf(row: DatabaseRow): Identity['disabled'] {
  if (row['organization_disabled_at'] !== null) return 'organization';
  return row['disabled_at'] === null ? null : 'principal';
}
