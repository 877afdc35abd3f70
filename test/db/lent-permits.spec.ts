import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { SystemClock } from '../../src/common/clock.js';
import { DeliveryReader } from '../../src/push/delivery/delivery-reader.js';
import type { DeliveryStreamStore } from '../../src/push/delivery/delivery-stream-store.js';
import { NO_OBSERVER, OPEN_GATE } from '../../src/push/delivery/fake-gate.js';
import { SendBudget } from '../../src/push/delivery/send-budget.js';
import { SendPermits } from '../../src/push/delivery/send-permits.js';
import { StreamRunner } from '../../src/push/delivery/stream-runner.js';
import { readEvents } from '../../src/tasks/persistence/read-events.js';
import { toEvent } from '../../src/tasks/persistence/task-rows.js';
import { describeDatabases } from '../support/databases.js';
import { PushEngine } from '../support/push-engine.js';
import { SILENT } from '../support/push-stores.js';

const ENDPOINT = 'acme https://hooks.example';
const PER_ENDPOINT = 10;
const SETTINGS = {
  scheduleMs: [40],
  jitter: 0,
  retryAfterMaxMs: 1000,
  timeoutMs: 10_000,
  disableAfterMs: 3_600_000,
};

describeDatabases('permits of a receiver', (databases) => {
  let engine: PushEngine;
  let permits: SendPermits;
  let runner: StreamRunner;
  /** Answers to the attempts under way, and the most there were at once. */
  let answers: (() => void)[];
  let most: number;

  beforeEach(async () => {
    engine = new PushEngine(await databases.open());
    permits = new SendPermits(200, () => undefined);
    answers = [];
    most = 0;
    await engine.database.write((tx) =>
      tx.run(
        `INSERT INTO push_endpoints (endpoint, organization, state, failures, concurrency, probes, enqueues,
           created_at, updated_at, last_success_at) VALUES (?, 'acme', 'healthy', 0, ?, 0, 0, 0, 7, ?)`,
        [ENDPOINT, PER_ENDPOINT, Date.now()],
      ),
    );
  });

  afterEach(() => engine.close());

  /** With the answers of the database to a stream that rests so late. */
  function begin(lateMs: number): void {
    const events = async (...[id, after, limit]: [string, number, number]) =>
      (await readEvents(engine.database, id, after, limit)).map(toEvent);
    const clock = new SystemClock();
    let sending = 0;
    const send = () => {
      sending += 1;
      most = Math.max(most, sending);
      return new Promise((resolve) => {
        answers.push(() => {
          sending -= 1;
          const none = { error: null, detail: null, retryAfterMs: null };
          resolve({ status: 200, ...none, response: '', durationMs: 1 });
        });
      });
    };
    const reader = new DeliveryReader(
      { events, headers: events } as never,
      engine.ids,
      clock,
      { maxBodyBytes: 1e6 },
      { ofA2a: 'https://hub.example' },
    );
    runner = new StreamRunner(
      lateAdvances(engine.streams, lateMs),
      reader,
      { send } as never,
      clock,
      engine.ids,
      SILENT,
      SETTINGS,
      NO_OBSERVER,
      OPEN_GATE,
      new SendBudget(),
    );
  }

  /** As the worker does. */
  async function look(): Promise<void> {
    const caps = { free: 200 - permits.inUse, perEndpoint: PER_ENDPOINT, total: 200, own: permits };
    const claimed = await engine.streams.claim('w', new Date(), 20_000, caps);
    const never = new AbortController().signal;
    for (const stream of claimed) {
      const permit = permits.of(stream);
      void runner.run(stream, permit, never, never).then(() => permit.end());
    }
  }

  /** Streams that are due, and others that will be. */
  async function beginWith(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      await engine.hook(await engine.beginTask(), 'https://hooks.example/a');
    }
    await due(PER_ENDPOINT, Date.now() + 3_600_000);
    await look();
    while (answers.length < PER_ENDPOINT) await sleep(1);
  }

  /** Those from this place on are due at this time. */
  const due = (from: number, at: number): Promise<unknown> =>
    engine.database.write(function* (tx) {
      const rows = yield* tx.all<{ id: string }>(
        'SELECT id FROM push_delivery_streams ORDER BY id',
      );
      for (const [index, { id }] of rows.slice(from).entries()) {
        yield* tx.run('UPDATE push_delivery_streams SET due_at = ? WHERE id = ?', [at + index, id]);
      }
    });

  it.each([false, true])(
    'are never more than it may get, while what was recorded is not known yet (another process: %s)',
    async (isShared) => {
      begin(300);
      await beginWith(50);
      await due(PER_ENDPOINT, Date.now() - 100);
      for (const answer of answers.splice(0)) answer();
      await sleep(100);
      const caps = { free: 100, perEndpoint: PER_ENDPOINT, total: 200 };
      const others = isShared ? await engine.streams.claim('other', new Date(), 20_000, caps) : [];
      await look();
      await sleep(900);
      expect(permits.inUse + others.length).toBeLessThanOrEqual(PER_ENDPOINT);
      expect(most).toBeLessThanOrEqual(PER_ENDPOINT);
    },
    30_000,
  );
});

/** The store, which answers late when a stream has nothing more to deliver. */
function lateAdvances(streams: DeliveryStreamStore, lateMs: number): DeliveryStreamStore {
  return new Proxy(streams, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
      if (typeof member !== 'function') return member;
      if (name !== 'advance') return member.bind(target);
      return async (...args: unknown[]) => {
        const step = await member.apply(target, args);
        await sleep(lateMs);
        return step;
      };
    },
  });
}
