import { HUB_AUTHORITY } from '../../src/auth/authority.js';
import { expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import { SqlPrincipalStore } from '../../src/auth/persistence/sql-principal.store.js';
import type { Consent } from '../../src/agents/consents/consent.js';
import { SqlAgentStore } from '../../src/agents/persistence/sql-agent.store.js';
import { SqlConsentStore } from '../../src/agents/persistence/sql-consent.store.js';
import { SecretBox, SecretLockedError } from '../../src/common/secret-box.js';
import type { Database } from '../../src/database/database.js';
import type { Work } from '../../src/database/sql.js';
import type { DatabaseFactory } from '../support/databases.js';
import { anAgent } from '../support/an-agent.js';
import { keyNamed, testSecrets } from '../support/secret-box.js';

const AT = new Date(1_000_000);
const LATER = new Date(1_000_500);

function aConsent(id: string, changes: Partial<Consent> = {}): Consent {
  return {
    ...{ id, principalId: 'alice', organization: 'acme', agentId: 'z', client: 'digest' },
    ...{ server: 'https://login.example', scope: 'read', createdAt: AT, tokenAt: AT },
    ...{ accessToken: `access-${id}`, refreshToken: `refresh-${id}`, usableUntil: LATER },
    ...changes,
  };
}

/** What is promised of the consents of users. */
export function consentStoreContract(databases: DatabaseFactory): void {
  const start = async (): Promise<{ database: Database; store: SqlConsentStore }> => {
    const database = await databases.openEmptied();
    const principals = new SqlPrincipalStore(database);
    for (const id of ['alice', 'bob']) {
      const principal = { id, organization: 'acme', displayName: null, groups: [] };
      await principals.create({ ...principal, createdAt: AT }, false);
    }
    return { database, store: new SqlConsentStore(database, testSecrets()) };
  };

  it('is one for each principal, organization and agent, encrypted', async () => {
    const { database, store } = await start();
    await store.put(aConsent('one'));
    const two = aConsent('two', { refreshToken: null, scope: null });
    await store.put(two);
    await store.put(aConsent('other', { organization: 'umbrella' }));
    await store.put(aConsent('bobs', { principalId: 'bob' }));
    expect(await store.of(two)).toEqual(two);
    expect(await store.of({ ...two, agentId: 'y' })).toBeUndefined();
    const rows = JSON.stringify(await database.read('SELECT * FROM consents'));
    expect(rows).not.toMatch(/access-|refresh-/);
    const locked = new SqlConsentStore(database, new SecretBox([keyNamed('other')]));
    await expect(locked.of(two)).rejects.toThrow(SecretLockedError);
    expect((await locked.list(EVERYTHING, {}, 10)).items).toHaveLength(3);
    expect(await locked.remove('two', EVERYTHING)).toMatchObject({ id: 'two', tokens: null });
  });

  it('does not count while its principal, or that organization, is disabled, and ends then', async () => {
    const { database, store } = await start();
    const consent = aConsent('one');
    await store.put(consent);
    expect(await store.ended(10)).toEqual([{ id: 'one', cause: 'deleted-agent' }]);
    await new SqlAgentStore(database, testSecrets()).add(anAgent('z'));
    const principals = new SqlPrincipalStore(database);
    expect(await store.of(consent)).toEqual(consent);
    expect(await store.ended(10)).toEqual([]);
    await principals.disable('alice', AT, HUB_AUTHORITY);
    expect(await store.of(consent)).toBeUndefined();
    expect(await store.ended(10)).toEqual([{ id: 'one', cause: 'disabled-principal' }]);
    await database.write((tx) =>
      tx.run('UPDATE principals SET disabled_at = NULL, organization_disabled_at = 5'),
    );
    expect(await store.ended(10)).toEqual([{ id: 'one', cause: 'disabled-principal' }]);
    await database.write((tx) => tx.run('UPDATE principals SET organization_disabled_at = NULL'));
    expect(await store.ended(10)).toEqual([]);
    await database.write((tx) => tx.run('UPDATE agents SET deleted_at = 5'));
    expect(await store.ended(10)).toEqual([{ id: 'one', cause: 'deleted-agent' }]);
  });

  it('is kept for nobody who is disabled or deleted, and that of a principal that is gone ends', async () => {
    const { database, store } = await start();
    const principals = new SqlPrincipalStore(database);
    expect(await store.put(aConsent('one', { principalId: 'nobody' }))).toBe(false);
    expect(await store.put(aConsent('one'))).toBe(true);
    await principals.disable('alice', AT, HUB_AUTHORITY);
    expect(await store.put(aConsent('two'))).toBe(false);
    await principals.enable('alice', HUB_AUTHORITY);
    expect(await store.of(aConsent('one'))).toEqual(aConsent('one'));
    await database.write((tx) => tx.run('UPDATE principals SET organization_disabled_at = 5'));
    expect(await store.put(aConsent('two'))).toBe(false);
    await principals.delete('alice', HUB_AUTHORITY, function* () {});
    expect(await store.put(aConsent('two'))).toBe(false);
    expect(await store.of(aConsent('one'))).toBeUndefined();
    expect(await store.ended(10)).toEqual([{ id: 'one', cause: 'disabled-principal' }]);
  });

  it('is not kept by a commit that comes after that of disabling its principal', async () => {
    const { database, store } = await start();
    let updated = (): void => {};
    const isUpdated = new Promise<void>((resolve) => (updated = resolve));
    const disabled = database.write(function* (tx): Work<void> {
      yield* tx.run(`UPDATE principals SET disabled_at = 5 WHERE id = 'alice'`);
      updated();
      if (tx.dialect === 'postgres') yield* tx.all('SELECT pg_sleep(0.2)');
    });
    await isUpdated;
    const isKept = store.put(aConsent('one'));
    await disabled;
    expect([await isKept, (await store.list(EVERYTHING, {}, 9)).items]).toEqual([false, []]);
  });

  it('is renewed by one at a time, and not once it has ended', async () => {
    const { database, store } = await start();
    const consent = aConsent('one');
    await store.put(consent);
    expect(await store.reserve('one', AT, LATER, AT)).toBe(true);
    expect(await store.reserve('one', AT, LATER, AT)).toBe(false);
    // Who has reserved it may have died.
    expect(await store.reserve('one', AT, new Date(2_000_000), LATER)).toBe(true);
    // The clock was set back far behind the one of whoever reserved it.
    expect(await store.reserve('one', AT, LATER, AT)).toBe(true);
    await store.release('one', AT);
    expect(await store.reserve('one', AT, LATER, AT)).toBe(true);
    const tokens = { accessToken: 'new', refreshToken: 'newer', usableUntil: LATER };
    expect(await store.renew('one', AT, tokens, LATER)).toBe(true);
    expect(await store.of(consent)).toEqual({ ...consent, ...tokens, tokenAt: LATER });
    expect(await store.renew('one', AT, tokens, LATER)).toBe(false);
    expect(await store.reserve('one', AT, LATER, AT)).toBe(false);
    const removeWith = (tokenAt: Date): Promise<boolean> =>
      database.write((tx) => store.removeWith(tx, 'one', tokenAt));
    expect(await removeWith(AT)).toBe(false);
    expect(await store.of(consent)).toBeDefined();
    expect(await removeWith(LATER)).toBe(true);
    expect(await store.of(consent)).toBeUndefined();
  });

  it('is listed and ended by those who may see it', async () => {
    const { store } = await start();
    for (const id of ['a', 'b', 'c']) await store.put(aConsent(id, { agentId: id }));
    await store.put(aConsent('d', { organization: 'umbrella', principalId: 'bob' }));
    const acme = { kind: 'organization', organization: 'acme' } as const;
    const page = await store.list(acme, {}, 2);
    expect(page.items.map(({ id }) => id)).toEqual(['a', 'b']);
    const rest = await store.list(acme, {}, 2, 'b');
    expect([rest.items.map(({ id }) => id), rest.nextCursor]).toEqual([['c'], null]);
    const some = async (filter: object): Promise<string[]> =>
      (await store.list(EVERYTHING, filter, 10)).items.map(({ id }) => id);
    expect(await some({ principal: 'bob' })).toEqual(['d']);
    expect(await some({ agent: 'a' })).toEqual(['a']);
    expect(await store.remove('d', acme)).toBeUndefined();
    expect((await store.remove('a', acme))?.tokens?.refreshToken).toBe('refresh-a');
    expect(await some({})).toEqual(['b', 'c', 'd']);
  });
}
