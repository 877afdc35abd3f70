import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SqlPrincipalStore } from '../../src/auth/persistence/sql-principal.store.js';
import { SqlSessionStore } from '../../src/auth/persistence/sql-session.store.js';
import type { Session } from '../../src/auth/sessions/session.js';
import { CommitUnknown } from '../../src/database/commit-unknown.js';
import type { Database } from '../../src/database/database.js';
import { openDatabase } from '../../src/database/open-database.js';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import { startPostgres } from '../support/databases.js';
import { PostgresRelay } from '../support/postgres-relay.js';
import { testSecrets } from '../support/secret-box.js';

const AT = new Date(1_000_000);
const LATER = new Date(1_000_500);
const END = { now: AT, idleSince: new Date(0) };
const ONE: Session = {
  ...{ id: 'one', principalId: 'alice', organization: 'acme', issuerId: 'company' },
  ...{ accessToken: 'access', refreshToken: 'refresh', idToken: null, usableUntil: LATER },
  ...{ createdAt: AT, tokenAt: AT, usedAt: AT, expiresAt: new Date(2_000_000) },
};
const NEW = { accessToken: 'new', refreshToken: 'newer', idToken: null, usableUntil: LATER };
const AFTER = { ...ONE, ...NEW, tokenAt: LATER };

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let relay: PostgresRelay;
let database: Database;
let store: SqlSessionStore;

beforeAll(async () => void (postgres = await startPostgres()));
afterAll(() => postgres?.stop());

beforeEach(async () => {
  relay = await PostgresRelay.start(await postgres.migratedUrl());
  database = await openDatabase({ url: relay.url, synchronous: 'normal' }, HUB_SCHEMA);
  const principal = { id: 'alice', organization: 'acme', displayName: null, groups: [] };
  await new SqlPrincipalStore(database).create({ ...principal, createdAt: AT }, false);
  store = new SqlSessionStore(database, testSecrets());
  const bounds = { ofPrincipal: 20, inAll: 20 };
  await database.write((tx) => store.begin(tx, ONE, 'secret', bounds));
});

afterEach(async () => {
  await relay.close();
  await database.close();
});

const renew = (): Promise<boolean> => store.renew('one', AT, NEW, LATER);

describe('a session that is renewed', () => {
  it('has its new tokens when only the answer to the commit was lost', async () => {
    relay.losing = 'answer';
    expect(await renew()).toBe(true);
    expect(await store.of('secret', END)).toEqual(AFTER);
  });

  it('has them not when the commit was lost, which is known then', async () => {
    relay.losing = 'request';
    const failure: unknown = await renew().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(CommitUnknown);
    expect(await store.of('secret', END)).toEqual(ONE);
  });

  it.each(['answer', 'request'] as const)(
    'may have them or not while nobody can look, the %s lost',
    async (lost) => {
      [relay.losing, relay.isDownAfter] = [lost, true];
      await expect(renew()).rejects.toThrow(CommitUnknown);
      relay.isDownAfter = false;
      expect(await store.of('secret', END)).toEqual(lost === 'answer' ? AFTER : ONE);
    },
  );
});
