import { beforeEach, describe, expect, it } from '@jest/globals';
import { LOG_START } from '../../src/push/delivery/domain/delivery-plan.js';
import { OrganizationTurns } from '../../src/push/delivery/domain/stream-choice.js';
import type { EndpointRules } from '../../src/push/receivers/domain/endpoint-health.js';
import type { DeliveryStream } from '../../src/push/delivery/delivery-stream-store.js';
import { claimStreams } from '../../src/push/delivery/persistence/claim-streams.js';
import { readyEndpoints } from '../../src/push/delivery/persistence/endpoint-queues.js';
import { type PushStores, deliveryOf, inHand } from '../support/push-stores.js';

const NOW = 10_000_000;
const LEASE_MS = 30_000;
const BACKLOG = 5000;
const LIMITS = { proven: 256, new: 256, failing: 256 };

/** That a backlog costs nobody else, and that no pause leaves a stream behind. */
export function streamCapacityContract(
  open: (rules?: Partial<EndpointRules>) => Promise<PushStores>,
): void {
  let stores: PushStores;
  beforeEach(async () => {
    stores = await open();
  });

  const claim = (owner: string, free: number, now = NOW): Promise<DeliveryStream[]> =>
    stores.streams.claim(owner, new Date(now), LEASE_MS, { free, perEndpoint: 10, total: 200 });

  /** Many due streams of one endpoint, without the configs that claims would need. */
  const backlog = (organization: string, endpoint: string, count: number): Promise<number> =>
    stores.database.write((tx) =>
      tx.run(
        `INSERT INTO push_delivery_streams (id, task_id, webhook_uid, organization, endpoint, active, every_event,
           next_seq, head_seq, open, last_number, due_at, epoch, state, created_at, updated_at)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
         SELECT 'l' || i, 'l' || i, 'l' || i, CAST(? AS text), CAST(? AS text), 1, 0, 1, 2, 0, 0,
           ${NOW - count} + i, 0, 'active', 0, 0 FROM n`,
        [organization, endpoint],
      ),
    );

  const due = async (): Promise<number> => {
    const [row] = await stores.database.read<{ total: number }>(
      'SELECT COUNT(*) AS total FROM push_delivery_streams WHERE due_at <= ?',
      [NOW],
    );
    return Number(row!.total);
  };

  describe('a long backlog', () => {
    it('of a dead endpoint moves out of the way once, and costs nothing then', async () => {
      await stores.openEndpoint('acme dead', `${NOW + 60_000}, NULL`);
      await backlog('acme', 'acme dead', BACKLOG);
      await stores.freshStream({ endpoint: 'acme good' }, new Date(NOW));
      let claims = 0;
      let got: DeliveryStream[] = [];
      while (got.length === 0) {
        got = await claim('w', 200);
        claims += 1;
      }
      expect(got.map(({ endpoint }) => endpoint)).toEqual(['acme good']);
      expect(claims).toBeLessThanOrEqual(Math.ceil(BACKLOG / 200));
      expect(await due()).toBe(0);
      await stores.freshStream({ endpoint: 'acme good' }, new Date(NOW));
      expect(await claim('w', 1)).toHaveLength(1);
    });

    it('of a full endpoint lets others through, and waits in its order', async () => {
      for (let i = 0; i < 150; i++) {
        await stores.freshStream({ endpoint: 'acme slow' }, new Date(NOW - 500 + i));
      }
      const ten = await claim('w', 20);
      expect(ten).toHaveLength(10);
      await stores.freshStream({ endpoint: 'acme good' }, new Date(NOW));
      const got: string[] = [];
      for (let i = 0; i < 6; i++)
        got.push(...(await claim('w', 20)).map((stream) => stream.endpoint));
      expect(got).toEqual(['acme good']);
      const order: number[] = [];
      for (const stream of ten) {
        const step = { nextSeq: 3, cursor: LOG_START, deliveries: [] };
        await stores.streams.advance(stream, step, new Date(NOW), new Date(NOW));
        const [next] = await claim('w', 1);
        order.push(next!.dueSince!.getTime());
      }
      expect(order).toEqual(Array.from({ length: 10 }, (_, i) => NOW - 490 + i));
    });

    it('of one organization starves no other', async () => {
      for (let i = 0; i < 120; i++) {
        await stores.freshStream(
          { organization: 'big', endpoint: `big ${i % 40}` },
          new Date(NOW - 900 + i),
        );
      }
      await stores.freshStream({ organization: 'small', endpoint: 'small e' }, new Date(NOW));
      const got: DeliveryStream[] = [];
      for (let i = 0; i < 8; i++) got.push(...(await claim('w', 2)));
      expect(got.some((stream) => stream.webhook.organization === 'small')).toBe(true);
      // Once all are seen, places go round.
      for (let i = 0; i < 3; i++) {
        await stores.freshStream({ organization: 'small', endpoint: 'small e' }, new Date(NOW));
      }
      const next = await claim('w', 2);
      expect(next.map((stream) => stream.webhook.organization)).toEqual(['small', 'small']);
    });

    it('of many organizations is looked at in turn, those first that had none for longest', async () => {
      await stores.database.write((tx) =>
        tx.run(
          `INSERT INTO push_endpoints (endpoint, organization, state, failures, concurrency, probes,
             enqueues, ready_at, created_at, updated_at)
           WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 499)
           SELECT 'e' || i, 'o' || i, 'healthy', 0, 1, 0, 0, i, 0, 0 FROM n`,
        ),
      );
      const turns = new OrganizationTurns();
      for (let i = 100; i < 450; i++) turns.take(`o${i}`);
      const rows = await stores.database.write((tx) => readyEndpoints(tx, NOW, [], turns, LIMITS));
      const seen = rows.map(({ organization }) => organization);
      expect(seen).toEqual(expect.arrayContaining(['o450', 'o475', 'o499']));
      expect(seen).toContain('o100');
    });

    it('is found by indexes, never by walking through it', async () => {
      await backlog('acme', 'acme dead', BACKLOG);
      await stores.database.write((tx) =>
        tx.run(
          `INSERT INTO push_endpoints (endpoint, organization, state, failures, concurrency, probes,
             enqueues, ready_at, created_at, updated_at)
           SELECT id, 'acme', 'healthy', 0, 1, 0, 0, due_at, 0, 0 FROM push_delivery_streams`,
        ),
      );
      const plans = [
        await plan(
          `SELECT id FROM push_delivery_streams WHERE due_at <= 1 AND due_at < 1000000000000000
           ORDER BY due_at LIMIT 10`,
        ),
        await plan(
          `SELECT id FROM push_delivery_streams WHERE endpoint = 'acme dead' AND due_at >= 1000000000000000
           ORDER BY due_at LIMIT 10`,
        ),
        await plan(
          `SELECT * FROM push_endpoints WHERE ready_at <= ${NOW} ORDER BY ready_at LIMIT 10`,
        ),
      ];
      expect(plans[0]).toContain('push_delivery_streams_due');
      expect(plans[1]).toContain('push_delivery_streams_queue');
      expect(plans[2]).toContain('push_endpoints_ready');
      const kinds = {
        proven:
          'failures = 0 AND probe_at IS NULL AND disable_cursor IS NULL AND last_success_at IS NOT NULL',
        new: 'failures = 0 AND probe_at IS NULL AND disable_cursor IS NULL AND last_success_at IS NULL',
        failing: '(failures > 0 OR probe_at IS NOT NULL) AND disable_cursor IS NULL',
      };
      for (const [kind, these] of Object.entries(kinds)) {
        const rest = `ready_at <= ${NOW} AND ${these} ORDER BY ready_at LIMIT 10`;
        const all = await plan(`SELECT * FROM push_endpoints WHERE ${rest}`);
        expect(all).toContain(`push_endpoints_ready_${kind}`);
        const some = await plan(
          `SELECT * FROM push_endpoints WHERE organization = 'acme' AND ${rest}`,
        );
        expect(some).toMatch(new RegExp(`push_endpoints_(turn|ready)_${kind}`));
        plans.push(all, some);
      }
      for (const text of plans) expect(text).not.toMatch(/Seq Scan|SCAN push|TEMP B-TREE|Sort/);
    });
  });

  async function plan(sql: string): Promise<string> {
    const { database } = stores;
    if (database.dialect === 'sqlite') {
      return JSON.stringify(await database.read(`EXPLAIN QUERY PLAN ${sql}`));
    }
    // A small table is scanned whatever indexes there are.
    return database.write(function* (tx) {
      yield* tx.run('ANALYZE push_delivery_streams');
      yield* tx.run('ANALYZE push_endpoints');
      yield* tx.run('SET LOCAL enable_seqscan = off');
      return JSON.stringify(yield* tx.all(`EXPLAIN ${sql}`));
    });
  }

  /** The queue of an endpoint that has answered before or, with `failures`, not any more. */
  const queue = async (endpoint: string, count: number, failures = 0): Promise<void> => {
    await backlog('acme', endpoint, count);
    await stores.database.write(function* (tx) {
      yield* tx.run('UPDATE push_delivery_streams SET due_at = due_at + 1000000000000000');
      yield* tx.run(
        `INSERT INTO push_endpoints (endpoint, organization, state, failures, concurrency, probes,
           enqueues, ready_at, created_at, updated_at, last_success_at)
         VALUES (?, 'acme', 'healthy', ?, 10, 0, 1, ?, 0, 0, 1)`,
        [endpoint, failures, NOW - 5],
      );
    });
  };

  const leased = async (): Promise<number> => {
    const sql = 'SELECT COUNT(*) AS total FROM push_delivery_streams WHERE lease_until IS NOT NULL';
    const [row] = await stores.database.read<{ total: number }>(sql);
    return Number(row!.total);
  };

  /**
   * A claim that stops behind its statement number `at` until `isOver`, or for a moment: then `stopped`
   * is called. On SQLite no other comes between.
   */
  const haltingClaim = (
    free: number,
    at: number,
    stopped: () => void,
    isOver: () => boolean,
  ): Promise<void> =>
    stores.database.write(function* (tx) {
      const caps = { free, perEndpoint: 10, total: 200 };
      const rest = { except: [], startConcurrency: 2, ids: stores.ids, holds: stores.holds };
      const one = { owner: 'halting', now: new Date(NOW), leaseMs: LEASE_MS, caps, ...rest };
      const work = claimStreams(tx, one, new OrganizationTurns());
      let step = work.next();
      for (let i = 0; !step.done; i++) {
        const result = yield step.value;
        if (i === at) {
          stopped();
          if (tx.dialect === 'postgres') {
            for (let n = 0; n < 20 && !isOver(); n++) yield* tx.all('SELECT pg_sleep(0.01)');
          }
        }
        step = work.next(result);
      }
      stopped();
    });

  async function claimWithin(at: number, free: number): Promise<void> {
    let over = false;
    let halted: Promise<void> = Promise.resolve();
    await new Promise<void>((resolve) => {
      halted = haltingClaim(free, at, resolve, () => over);
    });
    await claim('w', free);
    over = true;
    await halted;
  }

  describe('two claims at once', () => {
    const anywhere = [0, 1, 2, 3, 4, 5, 6, 7, 8];

    it.each(anywhere)('keep to the cap of a queue, one within the other at %d', async (at) => {
      await queue('acme busy', 60);
      await claimWithin(at, 20);
      await claim('w', 20);
      expect(await leased()).toBe(10);
    });

    it.each(anywhere)(
      'keep to the cap of a new endpoint, one within the other at %d',
      async (at) => {
        stores = await open({ startConcurrency: 2 });
        await backlog('acme', 'acme new', 200);
        await claimWithin(at, 2);
        await claim('w', 2);
        expect(await leased()).toBe(2);
      },
    );
  });

  describe('hundreds of dead endpoints of an organization', () => {
    it.each([
      ['that fail', 'failures = 5, probe_at = ready_at, opened_at = 1'],
      ['that never answered', 'last_success_at = NULL'],
    ])('%s keep no queue of it from its places', async (_, dead) => {
      await queue('acme good', 40);
      await stores.database.write(function* (tx) {
        yield* tx.run(
          `INSERT INTO push_endpoints (endpoint, organization, state, failures, concurrency, probes,
             enqueues, ready_at, created_at, updated_at, last_success_at)
           WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 499)
           SELECT 'acme ' || i, 'acme', 'healthy', 0, 1, 0, 1, i, 0, 0, 1 FROM n`,
        );
        yield* tx.run(
          `INSERT INTO push_delivery_streams (id, task_id, webhook_uid, organization, endpoint, active, every_event,
             next_seq, head_seq, open, last_number, due_at, epoch, state, created_at, updated_at)
           SELECT endpoint, endpoint, endpoint, 'acme', endpoint, 1, 0, 1, 2, 0, 0,
             CAST(1000000000000000 AS bigint) + ready_at, 0, 'active', 0, 0
           FROM push_endpoints WHERE endpoint <> 'acme good'`,
        );
        yield* tx.run(`UPDATE push_endpoints SET ${dead} WHERE endpoint <> 'acme good'`);
      });
      const working = async (): Promise<number> => {
        const [row] = await stores.database.read<{ total: number }>(
          `SELECT COUNT(*) AS total FROM push_delivery_streams
           WHERE endpoint = 'acme good' AND lease_until IS NOT NULL`,
        );
        return Number(row!.total);
      };
      await claim('w', 100);
      expect(await working()).toBe(10);
      expect(await leased()).toBeGreaterThan(20);
      // And again, although it has been served and none of the others has.
      await stores.database.write((tx) =>
        tx.run(
          `DELETE FROM push_delivery_streams WHERE endpoint = 'acme good' AND lease_until IS NOT NULL`,
        ),
      );
      await claim('w', 100);
      expect(await working()).toBe(10);
    });
  });

  describe('places', () => {
    it('of endpoints that have never answered are few', async () => {
      stores = await open({ startConcurrency: 2 });
      for (let i = 0; i < 5; i++) await stores.freshStream({ endpoint: 'acme new' });
      expect(await claim('w', 100)).toHaveLength(2);
      expect(await claim('w', 100)).toEqual([]);
    });

    it('are always left for endpoints that answer, however many others hang', async () => {
      stores = await open({ startConcurrency: 2 });
      for (let i = 0; i < 30; i++) await stores.freshStream({ endpoint: `acme dead ${i}` });
      const caps = { free: 40, perEndpoint: 10, total: 40 };
      const hanging = await stores.streams.claim('w', new Date(NOW), LEASE_MS, caps);
      expect(hanging).toHaveLength(10);
      const good = await stores.freshStream({ endpoint: 'acme good' }, new Date(NOW));
      await stores.database.write((tx) =>
        tx.run(
          `INSERT INTO push_endpoints (endpoint, organization, state, failures, concurrency, probes,
             enqueues, created_at, updated_at, last_success_at)
           VALUES ('acme good', 'acme', 'healthy', 0, 10, 0, 0, 0, 0, 1)`,
        ),
      );
      const next = await stores.streams.claim('w', new Date(NOW), LEASE_MS, { ...caps, free: 30 });
      expect(next.map(({ webhook }) => webhook.taskId)).toEqual([good]);
    });
  });

  describe.each([
    ['failed last time', 1],
    ['have a stream that waits for its answer', 0],
  ])('places of endpoints that %s', (_, failures) => {
    it('are few, although they have answered before', async () => {
      const endpoints = [0, 1, 2, 3].map((i) => `acme bad ${i}`);
      for (const endpoint of endpoints) {
        await stores.database.write((tx) =>
          tx.run(
            `INSERT INTO push_endpoints (endpoint, organization, state, failures, concurrency, probes,
               enqueues, created_at, updated_at, last_success_at)
             VALUES (?, 'acme', 'healthy', ?, 10, 0, 0, 0, 0, 1)`,
            [endpoint, failures],
          ),
        );
        await stores.freshStream({ endpoint });
      }
      if (failures === 0) {
        expect(await claim('another', 4, NOW - 3000)).toHaveLength(4);
        for (const endpoint of endpoints) await stores.freshStream({ endpoint });
      }
      const caps = { free: 8, perEndpoint: 10, total: 8 };
      expect(await stores.streams.claim('w', new Date(NOW), LEASE_MS, caps)).toHaveLength(2);
    });
  });

  describe('a webhook that is paused', () => {
    it('rests after the attempt under way, whose end is still recorded', async () => {
      const taskId = await stores.freshStream({ endpoint: 'a' }, new Date(NOW));
      const stream = await stores.claimOne(new Date(NOW));
      const two = [deliveryOf(1), deliveryOf(2, { webhookId: 'cfg.2b' })];
      const reached = { nextSeq: 3, cursor: LOG_START, deliveries: two };
      const until = new Date(NOW + LEASE_MS);
      const ready = inHand(await stores.streams.advance(stream, reached, new Date(NOW), until));
      const delivery = (await stores.streams.firstOpen(ready.id, ready.epoch))!;
      await stores.database.write((tx) =>
        tx.run('UPDATE push_delivery_streams SET active = 2, due_at = NULL WHERE task_id = ?', [
          taskId,
        ]),
      );
      expect(await stores.streams.firstOpen(ready.id, ready.epoch)).toBeUndefined();
      const attemptRecord = { delivery, attempt: null, result: { state: 'delivered' } } as const;
      expect(await stores.streams.recordAttempt(ready, attemptRecord, new Date(NOW), until)).toBe(
        'idle',
      );
      expect(await stores.row(taskId)).toMatchObject({ open: 1, due_at: null, lease_until: null });
      expect(await claim('w', 10)).toEqual([]);
    });
  });
}
