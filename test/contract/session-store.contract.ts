import { expect, it } from '@jest/globals';
import { HUB_AUTHORITY } from '../../src/auth/authority.js';
import { SqlPrincipalStore } from '../../src/auth/persistence/sql-principal.store.js';
import { SqlSessionStore } from '../../src/auth/persistence/sql-session.store.js';
import type { Session } from '../../src/auth/sessions/session.js';
import { SecretBox, SecretLockedError } from '../../src/common/secret-box.js';
import type { Database } from '../../src/database/database.js';
import type { DatabaseFactory } from '../support/databases.js';
import { keyNamed, testSecrets } from '../support/secret-box.js';

const AT = new Date(1_000_000);
const LATER = new Date(1_000_500);
const END = new Date(2_000_000);
const BOUNDS = { ofPrincipal: 2, inAll: 3 };
const NOW = { now: LATER, idleSince: new Date(0) };

function aSession(id: string, changes: Partial<Session> = {}): Session {
  return {
    ...{ id, principalId: 'alice', organization: 'acme', issuerId: 'company' },
    ...{ accessToken: `access-${id}`, refreshToken: `refresh-${id}`, idToken: `id-${id}` },
    ...{ usableUntil: LATER, createdAt: AT, tokenAt: AT, usedAt: AT, expiresAt: END },
    ...changes,
  };
}

/** What is promised of the sessions of the console. */
export function sessionStoreContract(databases: DatabaseFactory): void {
  const start = async () => {
    const database: Database = await databases.openEmptied();
    const principals = new SqlPrincipalStore(database);
    for (const id of ['alice', 'bob', 'carol']) {
      const principal = { id, organization: 'acme', displayName: null, groups: [] };
      await principals.create({ ...principal, createdAt: AT }, false);
    }
    const store = new SqlSessionStore(database, testSecrets());
    const begin = (session: Session) =>
      database.write((tx) => store.begin(tx, session, `secret-${session.id}`, BOUNDS));
    const of = (id: string, end = NOW) => store.of(`secret-${id}`, end);
    return { database, principals, store, begin, of };
  };

  it('is found by its secret alone, and keeps nothing readable', async () => {
    const { database, begin, of, store } = await start();
    expect(await begin(aSession('one'))).toBe('begun');
    const bare = aSession('two', { refreshToken: null, idToken: null });
    await begin(bare);
    expect(await of('one')).toEqual(aSession('one'));
    expect(await of('two')).toEqual(bare);
    expect(await store.of('one', NOW)).toBeUndefined();
    const rows = JSON.stringify(await database.read('SELECT * FROM console_sessions'));
    expect(rows).not.toMatch(/access-|refresh-|id-one|secret-/);
    const locked = new SqlSessionStore(database, new SecretBox([keyNamed('other')]));
    await expect(locked.of('secret-one', NOW)).rejects.toThrow(SecretLockedError);
    const ended = await database.write((tx) => locked.end(tx, 'secret-one'));
    expect(ended).toMatchObject({ id: 'one' });
    expect(ended).not.toHaveProperty('accessToken');
  });

  it('is over at its end, and when it was not used for too long', async () => {
    const { begin, of, store } = await start();
    await begin(aSession('one'));
    expect(await of('one', { now: END, idleSince: new Date(0) })).toBeUndefined();
    expect(await of('one', { now: LATER, idleSince: AT })).toBeUndefined();
    await store.used('one', LATER);
    await store.used('one', AT);
    expect(await of('one', { now: LATER, idleSince: AT })).toMatchObject({ usedAt: LATER });
  });

  it('gives way to newer ones of its principal; those of others do not', async () => {
    const { begin, of, store } = await start();
    await begin(aSession('one'));
    await begin(aSession('two'));
    await store.used('one', LATER);
    expect(await begin(aSession('three', { usedAt: LATER }))).toBe('begun');
    expect(await of('two')).toBeUndefined();
    expect(await of('one')).toBeDefined();
    expect(await begin(aSession('bobs', { principalId: 'bob' }))).toBe('begun');
    expect(await begin(aSession('carols', { principalId: 'carol' }))).toBe('too-many');
    expect(await of('carols')).toBeUndefined();
  });

  it('is for no principal that is disabled or is not there', async () => {
    const { begin, principals } = await start();
    await principals.disable('alice', AT, HUB_AUTHORITY);
    expect(await begin(aSession('one'))).toBe('disabled');
    expect(await begin(aSession('two', { principalId: 'unknown' }))).toBe('disabled');
  });

  it('is renewed by one at a time, from the tokens that it has', async () => {
    const { begin, of, store } = await start();
    await begin(aSession('one'));
    expect(await store.reserve('one', AT, END, LATER)).toBe(true);
    expect(await store.reserve('one', AT, END, LATER)).toBe(false);
    expect(await store.reserve('one', AT, END, END)).toBe(true);
    // The clock was set back far behind the one of whoever reserved it.
    expect(await store.reserve('one', AT, LATER, AT)).toBe(true);
    await store.release('one', AT);
    expect(await store.reserve('one', AT, END, LATER)).toBe(true);
    const tokens = { accessToken: 'a', refreshToken: 'b', idToken: 'c', usableUntil: END };
    expect(await store.renew('one', AT, tokens, LATER)).toBe(true);
    expect(await of('one')).toEqual({ ...aSession('one'), ...tokens, tokenAt: LATER });
    expect(await store.renew('one', AT, tokens, END)).toBe(false);
    expect(await store.reserve('one', AT, END, END)).toBe(false);
    expect(await store.reserve('one', LATER, END, LATER)).toBe(true);
  });

  it('is deleted with the tokens that are of no use, not with others', async () => {
    const { database, begin, of, store } = await start();
    await begin(aSession('one'));
    expect(await database.write((tx) => store.remove(tx, 'one', LATER))).toBe(false);
    expect(await of('one')).toBeDefined();
    expect(await database.write((tx) => store.remove(tx, 'one', AT))).toBe(true);
    expect(await of('one')).toBeUndefined();
  });

  it('is swept when it is over, or its principal is disabled, in pieces', async () => {
    const { begin, of, store, principals } = await start();
    await begin(aSession('one', { expiresAt: LATER }));
    await begin(aSession('two', { principalId: 'bob' }));
    await begin(aSession('three', { principalId: 'carol' }));
    await principals.disable('bob', AT, HUB_AUTHORITY);
    expect(await store.sweep(NOW, 1)).toBe(1);
    expect(await store.sweep(NOW, 10)).toBe(1);
    expect(await store.sweep(NOW, 10)).toBe(0);
    expect(await of('three')).toBeDefined();
  });
}
