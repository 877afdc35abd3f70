import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Consent } from '../../src/agents/consents/consent.js';
import { SqlConsentStore } from '../../src/agents/persistence/sql-consent.store.js';
import { SqlPrincipalStore } from '../../src/auth/persistence/sql-principal.store.js';
import { CommitUnknown } from '../../src/database/commit-unknown.js';
import type { Database } from '../../src/database/database.js';
import { openDatabase } from '../../src/database/open-database.js';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import { startPostgres } from '../support/databases.js';
import { PostgresRelay } from '../support/postgres-relay.js';
import { testSecrets } from '../support/secret-box.js';

const AT = new Date(1_000_000);
const LATER = new Date(1_000_500);
const ONE: Consent = {
  ...{ id: 'one', principalId: 'alice', organization: 'acme', agentId: 'z', client: 'digest' },
  ...{ server: 'https://login.example', scope: 'read', createdAt: AT, tokenAt: AT },
  ...{ accessToken: 'access', refreshToken: 'refresh', usableUntil: LATER },
};
const NEW = { accessToken: 'new', refreshToken: 'newer', usableUntil: LATER };

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let relay: PostgresRelay;
let database: Database;
let store: SqlConsentStore;

beforeAll(async () => void (postgres = await startPostgres()));
afterAll(() => postgres?.stop());

beforeEach(async () => {
  relay = await PostgresRelay.start(await postgres.migratedUrl());
  database = await openDatabase({ url: relay.url, synchronous: 'normal' }, HUB_SCHEMA);
  const principal = { id: 'alice', organization: 'acme', displayName: null, groups: [] };
  await new SqlPrincipalStore(database).create({ ...principal, createdAt: AT }, false);
  store = new SqlConsentStore(database, testSecrets());
});

afterEach(async () => {
  await relay.close();
  await database.close();
});

const ways = {
  stored: { write: () => store.put(ONE), before: undefined, after: ONE },
  renewed: {
    write: () => store.renew('one', AT, NEW, LATER),
    before: ONE,
    after: { ...ONE, ...NEW, tokenAt: LATER },
  },
};

describe.each(Object.entries(ways))('a consent that is %s', (_, { write, before, after }) => {
  beforeEach(async () => void (before && (await store.put(before))));

  it('is there when only the answer to the commit was lost', async () => {
    relay.losing = 'answer';
    expect(await write()).toBe(true);
    expect(await store.of(ONE)).toEqual(after);
  });

  it('is not when the commit was lost, which is known then', async () => {
    relay.losing = 'request';
    const failure: unknown = await write().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(CommitUnknown);
    expect(await store.of(ONE)).toEqual(before);
  });

  it.each(['answer', 'request'] as const)(
    'may be there or not while nobody can look, the %s lost',
    async (lost) => {
      [relay.losing, relay.isDownAfter] = [lost, true];
      await expect(write()).rejects.toThrow(CommitUnknown);
      relay.isDownAfter = false;
      expect(await store.of(ONE)).toEqual(lost === 'answer' ? after : before);
    },
  );

  it('is not, for sure, when its connection breaks before the commit', async () => {
    await database.close();
    const failure: unknown = await write().catch((error: unknown) => error);
    expect(failure).not.toBeInstanceOf(CommitUnknown);
  });
});
