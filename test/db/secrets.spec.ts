import { beforeEach, expect, it } from '@jest/globals';
import { SqlAgentStore } from '../../src/agents/persistence/sql-agent.store.js';
import { SystemIdSource } from '../../src/common/ids.js';
import { SecretBox, sealedBy } from '../../src/common/secret-box.js';
import type { Database } from '../../src/database/database.js';
import { HubSettings } from '../../src/database/hub-settings.js';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import { SqlSealedValueStore } from '../../src/secrets/persistence/sql-sealed-value.store.js';
import type { RowKey } from '../../src/secrets/sealed-value-store.js';
import { SecretWalk } from '../../src/secrets/secret-walk.js';
import { anAgent } from '../support/an-agent.js';
import { describeDatabases } from '../support/databases.js';
import { PushStores } from '../support/push-stores.js';
import { keyNamed } from '../support/secret-box.js';

const [K1, K2] = [keyNamed('k1'), keyNamed('k2')];
const OLD = new SecretBox([K1]);
const BOTH = new SecretBox([K2, K1]);
const NEW = new SecretBox([K2]);

describeDatabases('secrets', (databases) => {
  let database: Database;

  beforeEach(async () => {
    database = await databases.open();
  });

  const walkOf = (box: SecretBox) =>
    new SecretWalk(new SqlSealedValueStore(database), box, HUB_SCHEMA);
  const reseal = async (box: SecretBox) =>
    (await walkOf(box).reseal(new AbortController().signal))!;
  const agents = (box: SecretBox) => new SqlAgentStore(database, box);
  const settings = (box: SecretBox) => new HubSettings(database, new SystemIdSource(), box);

  /** So many webhooks with a secret each, encrypted with the old key. */
  async function addWebhooks(count: number): Promise<PushStores> {
    const stores = new PushStores(database);
    const taskId = await stores.addTask(2);
    for (let i = 0; i < count; i++) {
      const draft = stores.draft({ configId: `c${i}`, sealedCredentials: OLD.seal(`secret-${i}`) });
      await stores.webhooks.set(taskId, draft, { now: new Date(0), repeated: 'leave' });
    }
    return stores;
  }

  /** What is stored of the webhooks' secrets, by the ids of the configs. */
  async function stored(): Promise<string[]> {
    const rows = await database.read<{ sealed_credentials: string }>(
      'SELECT sealed_credentials FROM push_webhooks ORDER BY id',
    );
    return rows.map((row) => row.sealed_credentials);
  }

  it('are re-encrypted with a new key wherever they are, and then do without the old one', async () => {
    const pageToken = await settings(OLD).pageTokenSecret();
    const print = await settings(OLD).fingerprint(['x']);
    const agent = anAgent('one', {
      credentials: { authorization: 'Bearer secret', 'x-key': 'more' },
      cardHeaders: { 'x-card': 'card secret' },
    });
    await agents(OLD).add(agent);
    await database.write((tx) =>
      tx.run(
        `INSERT INTO signing_keys (generation, kid, public_key, private_key, created_at, signs_from)
         VALUES (1, 'kid', '{}', ?, 0, 0), (2, 'kid-2', '{}', NULL, 0, 0)`,
        [OLD.seal('private')],
      ),
    );
    await addWebhooks(3);

    const census = await reseal(BOTH);
    expect([census.of('k1'), census.of('k2'), census.resealed]).toEqual([0, 9, 9]);
    const again = await reseal(BOTH);
    expect([again.of('k2'), again.resealed]).toEqual([9, 0]);

    expect(await settings(NEW).pageTokenSecret()).toBe(pageToken);
    expect(await settings(NEW).fingerprint(['x'])).toBe(print);
    expect(await agents(NEW).get('one')).toEqual(agent);
    const [key] = await database.read<{ private_key: string }>(
      'SELECT private_key FROM signing_keys WHERE generation = 1',
    );
    expect(NEW.open(key!.private_key)).toBe('private');
    const opened = (await stored()).map((sealed) => NEW.open(sealed));
    expect(opened.sort()).toEqual(['secret-0', 'secret-1', 'secret-2']);
  });

  it('are counted by their keys without a change', async () => {
    await addWebhooks(2);
    await agents(NEW).add(anAgent('one', { credentials: { 'x-key': 'secret' } }));
    const before = await stored();
    const census = await walkOf(BOTH).count();
    expect([census.of('k1'), census.of('k2'), census.resealed]).toEqual([2, 1, 0]);
    expect(await stored()).toEqual(before);
    expect((await walkOf(NEW).count()).missing(['k2'])).toEqual(['k1']);
  });

  it('stay as they are while their key is missing, and are told from damaged ones', async () => {
    await addWebhooks(2);
    const before = await stored();
    const census = await reseal(NEW);
    expect(census.missing(NEW.keyIds)).toEqual(['k1']);
    expect([census.of('k1'), census.unreadable, census.resealed]).toEqual([2, 0, 0]);

    const imposter = new SecretBox([K2, { ...K2, id: 'k1' }]);
    const damaged = await reseal(imposter);
    expect(damaged.missing(imposter.keyIds)).toEqual([]);
    expect([damaged.of('k1'), damaged.unreadable]).toEqual([2, 2]);
    expect(await stored()).toEqual(before);
    expect((await reseal(BOTH)).resealed).toBe(2);
  });

  it('are encrypted that were stored before there were keys', async () => {
    const stores = await addWebhooks(1);
    await database.write(function* (tx) {
      yield* tx.run(`UPDATE push_webhooks SET sealed_token = 'plain:tok'`);
      yield* tx.run(
        `INSERT INTO hub_settings (key, value) VALUES ('instance-id', 'hub-1'), ('page-token-secret', 'clear')`,
      );
    });
    await stores.database.write((tx) =>
      tx.run(`INSERT INTO hub_settings (key, value) VALUES ('other', 'stays')`),
    );
    expect((await walkOf(BOTH).count()).unencrypted).toBe(2);
    expect(await reseal(BOTH)).toMatchObject({ unencrypted: 0, resealed: 3 });
    expect(await settings(NEW).pageTokenSecret()).toBe('clear');
    const kept = await database.read('SELECT key, value FROM hub_settings ORDER BY key');
    expect(kept).toMatchObject([
      { key: 'instance-id', value: 'hub-1' },
      { key: 'other', value: 'stays' },
      { key: 'page-token-secret', value: expect.stringMatching(/^v1:k2:/) },
    ]);
  });

  it('are sealed anew page by page, by several processes at once, and after a cut', async () => {
    await addWebhooks(100);
    await database.write(function* (tx) {
      // Five pages of rows: copies of those a hub has written.
      const columns = yield* tx.all<Record<string, string | number | null>>(
        'SELECT * FROM push_webhooks',
      );
      for (let copy = 1; copy < 10; copy++) {
        for (const row of columns) {
          const { id, config_id: configId, ...others } = row;
          const all = { id: `${id}-${copy}`, config_id: `${configId}-${copy}`, ...others };
          yield* tx.run(
            `INSERT INTO push_webhooks (${Object.keys(all).join(', ')})
             VALUES (${Object.keys(all)
               .map(() => '?')
               .join(', ')})`,
            Object.values(all),
          );
        }
      }
    });
    const cut = new AbortController();
    const store = new SqlSealedValueStore(database);
    let replaced = 0;
    const watched = {
      page: (...args: Parameters<typeof store.page>) => store.page(...args),
      replace: (...args: Parameters<typeof store.replace>) => {
        if (++replaced === 300) cut.abort();
        return store.replace(...args);
      },
    };
    expect(await new SecretWalk(watched, BOTH, HUB_SCHEMA).reseal(cut.signal)).toBeUndefined();
    expect((await walkOf(BOTH).count()).of('k2')).toBe(300);

    const [one, other] = await Promise.all([reseal(BOTH), reseal(BOTH)]);
    expect(one.resealed + other.resealed).toBe(700);
    expect(new Set((await stored()).map(sealedBy))).toEqual(new Set(['k2']));
  });

  it('never take the place of a newer secret', async () => {
    await addWebhooks(1);
    const store = new SqlSealedValueStore(database);
    const table = HUB_SCHEMA.sealedTables.find((each) => each.table === 'push_webhooks')!;
    const [row] = await store.page(table, null, 10);
    const newer = OLD.seal('newer');
    await database.write((tx) =>
      tx.run('UPDATE push_webhooks SET sealed_credentials = ?', [newer]),
    );
    const next = row!.values.map((value) => value && BOTH.seal(OLD.open(value)));
    expect(await store.replace(table, row!, next)).toBe(false);
    expect(await stored()).toEqual([newer]);
  });

  it('are read to the end, each row once, whatever the size of the pages', async () => {
    await addWebhooks(7);
    const store = new SqlSealedValueStore(database);
    const table = HUB_SCHEMA.sealedTables.find((each) => each.table === 'push_webhooks')!;
    const seen: RowKey[] = [];
    for (let after: RowKey | null = null; ; after = seen.at(-1)!) {
      const page = await store.page(table, after, 3);
      seen.push(...page.map(({ key }) => key));
      if (page.length < 3) break;
    }
    expect(seen).toHaveLength(7);
    expect(new Set(seen.map(String)).size).toBe(7);
  });
});
