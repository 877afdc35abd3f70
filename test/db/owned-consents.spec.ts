import { expect, it, jest } from '@jest/globals';
import { ConsentEnding } from '../../src/agents/client/authentication/consent-ending.js';
import type { Consent } from '../../src/agents/consents/consent.js';
import { OwnedConsents } from '../../src/agents/persistence/owned-consents.js';
import { SqlConsentStore } from '../../src/agents/persistence/sql-consent.store.js';
import type { AuditEntry } from '../../src/audit/index.js';
import { SqlPrincipalStore } from '../../src/auth/persistence/sql-principal.store.js';
import type { Tx, Work } from '../../src/database/sql.js';
import { describeDatabases } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { testSecrets } from '../support/secret-box.js';

const AT = new Date(1_000_000);
const REMOVAL = { now: AT, blocks: true };
const NEVER = new AbortController().signal;
/** More than end at once. */
const MANY = 45;

describeDatabases('the consents of an owner whose data is deleted', (databases) => {
  /** With consents of three principals in two organizations. */
  async function start(revoke: (token: string) => Promise<void>) {
    const database = await databases.openEmptied();
    const principals = new SqlPrincipalStore(database);
    const store = new SqlConsentStore(database, testSecrets());
    const owners = [
      ['alice', 'acme', MANY],
      ['bob', 'acme', 1],
      ['carol', 'umbrella', 1],
    ] as const;
    for (const [id, organization, count] of owners) {
      const principal = { id, organization, displayName: null, groups: [] };
      await principals.create({ ...principal, createdAt: AT }, false);
      for (let n = 0; n < count; n++) await store.put(aConsent(id, organization, n));
    }
    const entries: AuditEntry[] = [];
    const audit = {
      async recordFrom(work: (tx: Tx) => Work<readonly AuditEntry[]>): Promise<number> {
        const made = await database.write(work);
        return entries.push(...made);
      },
    };
    const clock = new FakeClock();
    const warn = jest.fn();
    const providers = { revoke: (_: unknown, _client: string, token: string) => revoke(token) };
    const ending = new ConsentEnding(store, providers, audit, { warn });
    const consents = new OwnedConsents(database, store, ending, clock);
    const left = async (): Promise<string[]> =>
      (await database.read<{ id: string }>('SELECT id FROM consents ORDER BY id')).map(
        ({ id }) => id,
      );
    return { consents, clock, warn, entries, left };
  }

  it.each([
    [{ organization: 'acme' }, MANY + 1, ['carol-0']],
    [{ principal: 'bob' }, 1, undefined],
  ])('of %j end at their provider, each with an entry of the audit log', async (...each) => {
    const [owner, count, stay] = each;
    const revoked: string[] = [];
    const { consents, entries, left, warn } = await start(async (token) => {
      revoked.push(token);
    });
    const before = await left();
    expect(await consents.count(owner)).toBe(count);
    await consents.end(owner, REMOVAL, NEVER);
    const after = await left();
    expect(after).toEqual(stay ?? before.filter((id) => id !== 'bob-0'));
    const gone = before.filter((id) => !after.includes(id));
    expect(revoked.sort()).toEqual(gone.map((id) => `refresh-${id}`));
    expect(entries.map(({ resource }) => resource?.id).sort()).toEqual(gone);
    for (const { action, details } of entries) {
      expect([action, details]).toEqual(['consents.end', { cause: 'disabled-principal' }]);
    }
    expect(warn).not.toHaveBeenCalled();
  });

  it('end after a minute, too, when their provider does not answer: the log names them', async () => {
    const asked = jest.fn(() => new Promise<void>(() => undefined));
    const { consents, clock, entries, left, warn } = await start(asked);
    const end = consents.end({ organization: 'acme' }, REMOVAL, NEVER);
    for (let isDone = false; !isDone;) {
      isDone = await Promise.race([end.then(() => true), clock.advance(10_000).then(() => false)]);
    }
    expect(await left()).toEqual(['carol-0']);
    expect(entries).toHaveLength(MANY + 1);
    // Nothing is asked any more then.
    expect(asked.mock.calls.length).toBeLessThan(MANY);
    const named = warn.mock.calls.map(([about]) => (about as { consent: string }).consent);
    expect(named.sort()).toEqual(entries.map(({ resource }) => resource?.id).sort());
  });

  it('are left to the next process when this one stops', async () => {
    const stop = new AbortController();
    const { consents, left } = await start(async () => stop.abort());
    await consents.end({ organization: 'acme' }, REMOVAL, stop.signal);
    const some = await left();
    expect(some.length).toBeGreaterThan(1);
    expect(some.length).toBeLessThan(MANY + 2);
    await consents.end({ organization: 'acme' }, REMOVAL, NEVER);
    expect(await left()).toEqual(['carol-0']);
  });
});

function aConsent(principalId: string, organization: string, n: number): Consent {
  const id = `${principalId}-${n}`;
  return {
    ...{ id, principalId, organization, agentId: `agent-${n}`, client: 'digest' },
    ...{ server: 'https://login.example', scope: 'read', createdAt: AT, tokenAt: AT },
    ...{ accessToken: `access-${id}`, refreshToken: `refresh-${id}`, usableUntil: AT },
  };
}
