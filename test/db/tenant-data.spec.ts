import { expect, it } from '@jest/globals';
import { getMetadataArgsStorage } from 'typeorm';
import { forgetDeletedAgents, hasAgents } from '../../src/agents/persistence/agents-of.js';
import { SqlAgentData } from '../../src/agents/persistence/sql-agent-data.js';
import { SqlConsentStore } from '../../src/agents/persistence/sql-consent.store.js';
import { SqlAuthData } from '../../src/auth/persistence/sql-auth-data.js';
import { SqlIdentityStore } from '../../src/auth/persistence/sql-identity.store.js';
import { SystemIdSource } from '../../src/common/ids.js';
import { SqlSignInBlocks } from '../../src/auth/persistence/sql-sign-in-blocks.js';
import type { DataOwner, OwnedData } from '../../src/common/owned-data.js';
import { Table } from '../../src/database/table.js';
import type { Database } from '../../src/database/database.js';
import type { SqlValue, Tx, Work } from '../../src/database/sql.js';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import { forgetCounters, hasLimits } from '../../src/limits/persistence/limits-of.js';
import { SqlLimitData } from '../../src/limits/persistence/sql-limit-data.js';
import { SqlPolicyData } from '../../src/policies/persistence/sql-policy-data.js';
import { SqlPolicyStore } from '../../src/policies/persistence/sql-policy.store.js';
import { forgetEvents, forgetReceivers } from '../../src/push/owners/persistence/records-of.js';
import { SqlPushData } from '../../src/push/owners/persistence/sql-push-data.js';
import { Activity } from '../../src/observability/activity/activity.js';
import { FORGET_ORGANIZATION } from '../../src/observability/persistence/forget-agents.js';
import { SqlActivityData } from '../../src/observability/persistence/sql-activity-data.js';
import { SqlOwnedTaskRows } from '../../src/tasks/persistence/sql-owned-task-rows.js';
import { SqlOwnedTasks } from '../../src/tasks/persistence/sql-owned-tasks.js';
import type { DataJob } from '../../src/data/data-job.js';
import { SqlDataJobStore } from '../../src/data/persistence/sql-data-job.store.js';
import { describeDatabases } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { testSecrets } from '../support/secret-box.js';

const REMOVAL = { now: new Date(5), blocks: true };
/** Rows of each table and owner: more than one piece of a deletion. */
const ROWS = 70;

const ORGANIZATION: Readonly<Record<string, unknown>> = { labels: '{"a":"b"}', created_at: 0 };
/** One of the organization, or of its principal. */
const subjectOf = (who: string, n: number): string =>
  JSON.stringify(n % 2 === 0 ? [who, null, `a${n}`, null] : [null, `${who}-p`, `a${n}`, null]);

const exportOf = (id: string): DataJob => ({
  ...{ id, kind: 'export', owner: { organization: 'acme' }, isMappingOnly: false, blocks: false },
  ...{ state: 'waiting', requestedBy: 'ops', keyId: null, progress: {}, error: null },
  ...{ receipt: null, createdAt: new Date(1), startedAt: null, endedAt: null },
});

describeDatabases('what a tenant owns', (databases) => {
  const blocksIn = (database: Database): SqlSignInBlocks =>
    new SqlSignInBlocks(database, {
      fingerprint: (values) => Promise.resolve(values.join('/')),
    });
  const forgotten: string[] = [];
  const kindsOf = (database: Database): readonly OwnedData[] => {
    const blocks = blocksIn(database);
    const consents = new SqlConsentStore(database, testSecrets());
    const clock = { sleep: () => Promise.resolve() } as never;
    const gate = { forget: (of: string) => forgotten.push(of) };
    const directory = { renew: () => Promise.resolve() } as never;
    return [
      new SqlOwnedTaskRows(database),
      new SqlPushData(database, directory, clock, gate as never),
      new SqlPolicyData(database),
      new SqlLimitData(database),
      new SqlAgentData(database, consents, { end: () => Promise.resolve(true) }, new FakeClock()),
      new SqlActivityData(database, new Activity(new FakeClock())),
      new SqlAuthData(database, blocks),
    ].flatMap(({ kinds }) => kinds);
  };

  /** The value of a column in the row of that number of an owner. */
  const valueOf = (table: string, name: string, type: string, who: string, n: number): unknown => {
    const id = `${who}-${n}`;
    if (name === 'organization') return who;
    if (name === 'organizations') return JSON.stringify([who]);
    if (name === 'source') return 'api';
    if (table === 'organizations') return ORGANIZATION[name] ?? (name === 'id' ? who : null);
    if (name === 'subject' && table === 'limits') return subjectOf(who, n);
    if (name === 'counter') return `storedBytes ${subjectOf(who, n)}`;
    if (name === 'principal_id') return `${who}-p`;
    if (name === 'set_by') return n % 2 === 0 ? `${who}-p` : null;
    if (table === 'principals' && name === 'id') return n === 0 ? `${who}-p` : id;
    if (name === 'endpoint') return `${who} https://${id}.example:443`;
    if (name === 'webhook_uid' || name === 'delivery_id' || name === 'id') {
      return type === 'text' ? id : n + (who === 'acme' ? 0 : 1000);
    }
    if (name === 'shard') return n % 16;
    if (name === 'expired' || name === 'admin') return 0;
    if (type !== 'text') return 0;
    const isJson =
      /scopes|groups|allowed|filter|names|urls|parameters|tests|definition|cursor|progress/.test(
        name,
      );
    return isJson ? '[]' : id;
  };

  async function seed(database: Database, kinds: readonly OwnedData[], who: string): Promise<void> {
    const owned = new Set(kinds.flatMap(({ tables }) => tables));
    const { tables, columns } = getMetadataArgsStorage();
    for (const entity of HUB_SCHEMA.entities) {
      const { name: table } = new Table(entity);
      if (!owned.has(table) || !tables.some(({ target }) => target === entity)) continue;
      const own = columns.filter(
        ({ target }) =>
          target === entity ||
          (typeof target === 'function' && entity.prototype instanceof (target as never)),
      );
      const names = own.map(({ propertyName, options }) => options.name ?? propertyName);
      const marks = names.map(() => '?').join(', ');
      await database.write(function* (tx) {
        for (let n = 0; n < ROWS; n++) {
          const values = own.map(({ options }, index) =>
            valueOf(table, names[index]!, String(options.type), who, n),
          );
          yield* tx.run(
            `INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks}) ON CONFLICT DO NOTHING`,
            values as string[],
          );
        }
      });
    }
  }

  const rowsOf = async (database: Database, kinds: readonly OwnedData[], who: string) => {
    const found = new Map<string, string[]>();
    for (const table of new Set(kinds.flatMap(({ tables }) => tables))) {
      const rows = await database.read(`SELECT * FROM ${table}`);
      const texts = rows.map((row) => JSON.stringify(row)).filter((text) => text.includes(who));
      found.set(table, texts.sort());
    }
    return found;
  };

  const deleteAll = async (kinds: readonly OwnedData[], owner: DataOwner, principal: string) => {
    for (const kind of kinds) await kind.end?.(owner, REMOVAL, new AbortController().signal);
    for (const kind of kinds) {
      const asked = kind.isOfPrincipals ? { principal } : owner;
      const count = await kind.count(asked);
      let exported = 0;
      for await (const records of kind.records(asked)) {
        exported += records.length;
        expect(JSON.stringify(records)).not.toMatch(/sealed|"hash"/);
      }
      expect([kind.kind, exported]).toEqual([kind.kind, count]);
      for (let deleted = -1; deleted !== 0;) deleted = await kind.delete(asked, REMOVAL);
      expect([kind.kind, await kind.count(asked)]).toEqual([kind.kind, 0]);
    }
  };

  it('goes with its organization, from every table, and the neighbour stays byte for byte', async () => {
    const database = await databases.openEmptied();
    const kinds = kindsOf(database);
    await seed(database, kinds, 'acme');
    await seed(database, kinds, 'acme b');
    const before = await rowsOf(database, kinds, 'acme b');
    for (const [table, rows] of before) expect([table, rows.length > 0]).toEqual([table, true]);

    forgotten.splice(0);
    await deleteAll(kinds, { organization: 'acme' }, 'acme-p');
    expect(forgotten).toContain('acme');
    const left = await rowsOf(database, kinds, 'acme');
    // It stays, disabled.
    left.delete('organizations');
    for (const [table, rows] of left) {
      expect([table, rows.filter((row) => !row.includes('acme b'))]).toEqual([table, []]);
    }
    expect(await rowsOf(database, kinds, 'acme b')).toEqual(before);
  });

  if (databases.dialect === 'sqlite') {
    it('is found by indexes, however much there is of others', async () => {
      const database = await databases.openEmptied();
      const statements: [string, readonly SqlValue[]][] = [];
      const watched = new Proxy(database, {
        get(target, name) {
          const value = Reflect.get(target, name, target) as unknown;
          if (name === 'read') {
            return (sql: string, params: SqlValue[] = []) => {
              statements.push([sql, params]);
              return target.read(sql, params);
            };
          }
          if (name === 'write') {
            return (work: (tx: Tx) => Work<unknown>) =>
              target.write(function* (tx) {
                const steps = work(tx);
                let step = steps.next();
                while (step.done !== true) {
                  statements.push([step.value.sql, step.value.params]);
                  step = steps.next(yield step.value);
                }
                return step.value;
              });
          }
          return typeof value === 'function' ? (value as () => void).bind(target) : value;
        },
      });
      const kinds = kindsOf(watched).filter(({ kind }) => /^limit|^deliveryAttempts/.test(kind));
      expect(kinds).toHaveLength(5);
      await seed(database, kindsOf(database), 'acme');
      for (const owner of [{ organization: 'acme' }, { principal: 'acme-p' }]) {
        for (const kind of kinds) {
          expect(await kind.count(owner)).toBeGreaterThanOrEqual(0);
          for (let deleted = -1; deleted !== 0;) deleted = await kind.delete(owner, REMOVAL);
        }
        for (const which of ['open', 'ended'] as const) {
          const after = { id: 't', organization: 'acme', state: 1, statusAt: 0 };
          await new SqlOwnedTasks(watched).some(owner, which, 10);
          await new SqlOwnedTasks(watched).some(owner, which, 10, after);
        }
      }
      const slow: string[] = [];
      for (const [sql, params] of statements) {
        if (!/^(SELECT|DELETE)/.test(sql)) continue;
        const asked = sql.replace(/^DELETE/, 'SELECT 1');
        const plan = await database.read<{ detail: string }>(`EXPLAIN QUERY PLAN ${asked}`, params);
        const isSlow = plan.some(
          ({ detail }) =>
            /^SCAN (?!.*SUBQUERY)/.test(detail) ||
            (/tasks_(organization|principal)_idx/.test(detail) &&
              /status_at/.test(sql) &&
              !detail.includes('state=?')),
        );
        const looksAgain = sql.includes('push_attempts') && sql.includes('push_deliveries');
        if (isSlow || looksAgain) slow.push(sql);
      }
      expect([statements.length > 20, slow]).toEqual([true, []]);
    });
  }

  it('goes as far as it was counted when its organization is deleted by itself', async () => {
    const database = await databases.openEmptied();
    const kinds = kindsOf(database);
    await seed(database, kinds, 'acme');
    await seed(database, kinds, 'acme b');
    const before = await rowsOf(database, kinds, 'acme b');
    await database.write((tx) =>
      tx.run('UPDATE agents SET deleted_at = NULL WHERE id IN (?, ?)', ['acme-1', 'acme b-1']),
    );
    const has = (id: string) =>
      database.write(function* (tx): Work<boolean[]> {
        return [
          yield* hasAgents(tx, id),
          yield* hasLimits('organization')(tx, id),
          yield* hasLimits('principal')(tx, `${id}-p`),
        ];
      });
    expect([await has('acme'), await has('acm')]).toEqual([
      [true, true, true],
      [false, false, false],
    ]);
    await database.write(function* (tx) {
      yield* forgetDeletedAgents(tx, 'acme');
      yield* forgetCounters('organization')(tx, 'acme');
      yield* forgetCounters('principal')(tx, 'acme-p');
      yield* forgetReceivers(tx, 'acme');
      yield* forgetEvents(tx, 'acme-p');
      yield* tx.run(FORGET_ORGANIZATION, ['acme']);
      yield* tx.run('UPDATE agents SET deleted_at = 0');
    });
    const left = await rowsOf(database, kinds, 'acme');
    const ofAcme = (table: string) => left.get(table)!.filter((row) => !row.includes('acme b'));
    expect(ofAcme('limit_counters')).toEqual([]);
    expect(ofAcme('push_receivers')).toEqual([]);
    expect(ofAcme('push_events')).toEqual([]);
    // Those that were deleted are of nobody; the one that is registered stays its own.
    const own = ofAcme('agents').filter((row) => row.includes(String.raw`[\"acme\"]`));
    expect([ofAcme('agents').length, own.length]).toEqual([ROWS, 1]);
    expect(await rowsOf(database, kinds, 'acme b')).toEqual(before);
  });

  it('goes with its principal, whoever else is in the organization', async () => {
    const database = await databases.openEmptied();
    const kinds = kindsOf(database);
    await seed(database, kinds, 'acme');
    await seed(database, kinds, 'umbrella');
    const before = await rowsOf(database, kinds, 'umbrella');
    const owner = { principal: 'acme-p' };
    await deleteAll(kinds, owner, 'acme-p');
    const left = [...(await rowsOf(database, kinds, 'acme-p')).values()].flat();
    expect(left).toEqual([]);
    expect(await rowsOf(database, kinds, 'umbrella')).toEqual(before);
  });

  it('has no version of a policy that was changed while it was deleted, and its id is free', async () => {
    const database = await databases.openEmptied();
    const store = new SqlPolicyStore(database);
    const { kinds } = new SqlPolicyData(database);
    const acme = { organization: 'acme' };
    const policy = { description: '', enabled: true, text: 'permit(…);', tests: [], ...acme };
    const versions = () => database.read('SELECT version FROM policy_versions');
    await store.add('p', policy, 10, REMOVAL.now);
    for (const kind of kinds) {
      expect(await kind.delete(acme, REMOVAL)).toBe(1);
      await store.update('p', () => policy, REMOVAL.now);
    }
    expect([await store.all(), await versions()]).toEqual([[], []]);
    // As an earlier version of the hub could leave it.
    await database.write((tx) =>
      tx.run(`INSERT INTO policy_versions (id, version, definition, at) VALUES ('p', 1, '{}', 0)`),
    );
    expect(await store.add('p', policy, 10, REMOVAL.now)).toMatchObject({ version: 1 });
    expect(await versions()).toHaveLength(1);
  });

  it('leaves a block of who signed in, until it is lifted; of an organization it stays, disabled', async () => {
    const database = await databases.openEmptied();
    const blocks = blocksIn(database);
    const identities = new SqlIdentityStore(database, new SystemIdSource(), blocks);
    const signIn = (subject: string, organization = 'acme') =>
      identities.signIn({
        ...{ issuer: 'https://login.example', subject, organization, scopes: ['a2a'] },
        ...{ at: new Date(1), until: new Date(10) },
      });
    const of = (kind: string) => kindsOf(database).find((each) => each.kind === kind)!;
    const remove = async (owner: DataOwner, removal = REMOVAL): Promise<void> => {
      for (const kind of [of('identities'), of('principals'), of('organizations')]) {
        await kind.end?.(owner, removal, new AbortController().signal);
        while ((await kind.delete(owner, removal)) > 0);
      }
    };
    const alice = await signIn('alice');
    await remove({ principal: alice.principalId });
    await expect(signIn('alice')).rejects.toThrow(/the block .* keeps it from signing in again/);
    await signIn('bob');
    await signIn('alice', 'umbrella');
    const { items } = await blocks.list(10);
    expect(items).toHaveLength(1);
    const { id } = items[0]!;
    expect([await blocks.lift(id), await blocks.lift(id)]).toEqual([true, false]);
    const again = await signIn('alice');
    expect(again.principalId).not.toBe(alice.principalId);

    await remove({ principal: again.principalId }, { ...REMOVAL, blocks: false });
    await signIn('alice');
    await remove({ organization: 'acme' });
    await expect(signIn('somebody new')).rejects.toThrow('The organization acme is disabled.');
    await signIn('somebody new', 'umbrella');
    await remove({ organization: 'umbrella' }, { ...REMOVAL, blocks: false });
    await signIn('somebody new', 'umbrella');
  });

  it('is walked through in pieces, those that are open apart from those that have ended', async () => {
    const database = await databases.openEmptied();
    const tasks = new SqlOwnedTasks(database);
    const add = (id: string, organization: string, state: number, at: number) =>
      database.write((tx) =>
        tx.run(
          `INSERT INTO tasks (id, context_id, principal_id, organization, state, status_at, seq, version,
             checkpoint_seq, route, allow_reply, created_at, updated_at)
           VALUES (?, 'c', 'p', ?, ?, ?, 1, 1, 0, '{}', 0, 0, 0)`,
          [id, organization, state, at],
        ),
      );
    for (let n = 0; n < 9; n++)
      await add(`t${n}`, n % 3 === 0 ? 'b' : 'a', n % 2 === 0 ? 3 : 2, n % 4);
    for (const owner of [{ organization: 'a' }, { principal: 'p' }]) {
      const found: string[] = [];
      for (const which of ['open', 'ended'] as const) {
        for (let after; ;) {
          const piece = await tasks.some(owner, which, 2, after);
          found.push(...piece.map(({ id }) => id));
          after = piece.at(-1);
          if (after === undefined) break;
        }
      }
      expect(found).toHaveLength('principal' in owner ? 9 : 6);
      expect(new Set(found).size).toBe(found.length);
    }
  });

  it('is said to be exported no longer when nobody reads it and its process has gone', async () => {
    const database = await databases.openEmptied();
    const jobs = new SqlDataJobStore(database);
    for (const id of ['waits', 'read', 'left', 'canceled']) await jobs.add(exportOf(id));
    const by = (id: string, reader = 'r1') => ({ id, reader });
    for (const id of ['read', 'left']) await jobs.begin(by(id), new Date(10), new Date(100));
    await jobs.note(by('read'), { tasks: { counted: 2, done: 1 } }, new Date(200));
    await jobs.cancel('export', 'canceled', new Date(20));
    const states = async () =>
      Object.fromEntries((await jobs.list('export', 10)).items.map(({ id, state }) => [id, state]));
    await jobs.endLeft(new Date(99), false);
    const begun = { waits: 'waiting', read: 'running', left: 'running', canceled: 'canceled' };
    expect(await states()).toEqual(begun);
    await jobs.endLeft(new Date(101), false);
    expect(await states()).toEqual({ ...begun, left: 'failed' });
    expect(await jobs.get('export', 'left')).toMatchObject({
      ...{ endedAt: new Date(101), receipt: null, error: expect.stringContaining('read it again') },
    });
    // It may be read again, and no process reads after a start on SQLite.
    expect(await jobs.begin(by('left', 'r2'), new Date(110), new Date(300))).toBe(true);
    await jobs.endLeft(new Date(120), true);
    expect(await states()).toEqual({ ...begun, left: 'failed', read: 'failed' });
    expect(await jobs.get('export', 'read')).toMatchObject({
      progress: { tasks: { counted: 2, done: 1 } },
    });
  });

  it('is worked on, and said to be exported no longer, also where the clock was set back since', async () => {
    const jobs = new SqlDataJobStore(await databases.openEmptied());
    const hour = 3_600_000;
    await jobs.add({ ...exportOf('deleted'), kind: 'deletion' });
    await jobs.add(exportOf('read'));
    await jobs.begin({ id: 'read', reader: 'r1' }, new Date(hour), new Date(hour + 60_000));
    const claim = async (runner: string, at: number): Promise<string | undefined> =>
      (await jobs.claim(runner, new Date(at), new Date(at + 60_000)))?.id;
    expect(await claim('one', hour)).toBe('deleted');
    for (const at of [hour, hour - 30_000]) {
      expect(await claim('two', at)).toBeUndefined();
      await jobs.endLeft(new Date(at), false);
      expect((await jobs.get('export', 'read'))?.state).toBe('running');
    }
    expect(await claim('two', 1000)).toBe('deleted');
    await jobs.endLeft(new Date(1000), false);
    expect((await jobs.get('export', 'read'))?.state).toBe('failed');
  });

  it('is exported as the reading that began last says, and its first end counts', async () => {
    const jobs = new SqlDataJobStore(await databases.openEmptied());
    await jobs.add(exportOf('e'));
    const [earlier, later] = [
      { id: 'e', reader: 'r1' },
      { id: 'e', reader: 'r2' },
    ];
    const counts = (done: number) => ({ tasks: { counted: 9, done } });
    const until = new Date(1000);
    const done = (n: number) =>
      ({ state: 'done', progress: counts(n), error: null, receipt: `receipt ${n}` }) as const;
    const failed = { state: 'failed', progress: counts(0), error: 'no', receipt: null } as const;

    await jobs.begin(earlier, new Date(10), until);
    await jobs.begin(later, new Date(20), until);
    expect(await jobs.note(later, counts(2), until)).toBe(true);
    // The earlier one goes on, and says nothing of the later one.
    expect(await jobs.note(earlier, counts(5), until)).toBe(true);
    expect(await jobs.end(earlier, failed, new Date(30))).toBe(true);
    expect(await jobs.get('export', 'e')).toMatchObject({ state: 'running', progress: counts(2) });

    expect(await jobs.end(later, done(9), new Date(40))).toBe(true);
    await jobs.end(later, failed, new Date(50));
    await jobs.note(later, counts(1), until);
    expect(await jobs.get('export', 'e')).toMatchObject({
      ...{ state: 'done', progress: counts(9), receipt: 'receipt 9', endedAt: new Date(40) },
    });

    await jobs.begin(later, new Date(52), until);
    await jobs.endLeft(new Date(54), true);
    // Nobody has heard of its reader for long, which has all of it nevertheless.
    expect(await jobs.end(later, done(9), new Date(56))).toBe(true);
    expect(await jobs.get('export', 'e')).toMatchObject({ state: 'failed', receipt: null });

    await jobs.begin(later, new Date(60), until);
    await jobs.cancel('export', 'e', new Date(70));
    expect(await jobs.note(later, counts(1), until)).toBe(false);
    expect(await jobs.end(later, done(9), new Date(80))).toBe(false);
    expect(await jobs.get('export', 'e')).toMatchObject({ state: 'canceled', receipt: null });
  });
});
