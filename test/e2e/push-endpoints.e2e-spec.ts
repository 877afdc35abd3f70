import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import { Database } from '../../src/database/database.js';
import type { SqlValue, Tx, Work } from '../../src/database/sql.js';
import type { Delivery } from '../../src/push/delivery/delivery.js';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { describeDatabases } from '../support/databases.js';
import { EventFeedReader } from '../support/event-feed.js';
import { eventually } from '../support/eventually.js';
import { PushEngine, statusWire } from '../support/push-engine.js';
import { SILENT } from '../support/push-stores.js';
import { WebhookSink } from '../support/webhook-sink.js';

const DEADLINE_MS = 20_000;
/** A database that can go away: then nothing is read or written, and all who ask are told so. */
class AwayDatabase extends Database {
  away = false;
  /** Questions asked while it was away. */
  refused = 0;
  /** The next write is done, but who asked for it never hears of it. */
  losesAnswer: ((sql: readonly string[]) => boolean) | undefined;

  constructor(private readonly inner: Database) {
    super();
  }

  get dialect(): Tx['dialect'] {
    return this.inner.dialect;
  }

  diskSpace(): Promise<null> {
    return Promise.resolve(null);
  }

  async write<T>(work: (tx: Tx) => Work<T>): Promise<T> {
    this.refuseIfAway();
    const seen: string[] = [];
    const loses = this.losesAnswer;
    const value = await this.inner.write(function* (tx): Work<T> {
      const steps = work(tx);
      let step = steps.next();
      while (!step.done) {
        seen.push(step.value.sql);
        step = steps.next(yield step.value);
      }
      return step.value;
    });
    if (loses?.(seen)) {
      this.losesAnswer = undefined;
      throw new Error('the connection was lost after the commit');
    }
    return value;
  }

  async read<R>(sql: string, params?: readonly SqlValue[]): Promise<R[]> {
    this.refuseIfAway();
    return this.inner.read(sql, params);
  }

  check(): Promise<void> {
    return this.inner.check();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  private refuseIfAway(): void {
    if (!this.away) return;
    this.refused += 1;
    throw new Error('the database is away');
  }
}

describeDatabases('receivers that fail', (databases) => {
  let sink: WebhookSink;
  let engine: PushEngine;
  let database: AwayDatabase;

  beforeEach(async () => {
    sink = await WebhookSink.start();
    database = new AwayDatabase(await databases.open());
    engine = new PushEngine(database, {
      settings: { scheduleMs: [60, 60, 60, 60, 60, 60, 60, 60], timeoutMs: 1000 },
      rules: { failuresToOpen: 3, pauseMs: 150, maxPauseMs: 300 },
    });
  });
  afterEach(async () => {
    database.away = false;
    await engine.close();
    await sink.close();
  });

  const states = (taskId: string, ...wanted: string[]): Promise<Delivery[]> =>
    eventually(async () => {
      const found = await engine.deliveries.list({ taskId }, EVERYTHING, 100, null);
      expect(found.map(({ state }) => state).reverse()).toEqual(wanted);
      return found.reverse();
    }, DEADLINE_MS);

  const numbersAt = (path: string): unknown[] =>
    sink.at(path).map(({ headers }) => headers['a2a-hub-delivery-number']);

  async function manyTasks(count: number): Promise<string[]> {
    const tasks: string[] = [];
    for (let i = 0; i < count; i++) {
      const taskId = await engine.beginTask();
      await engine.hook(taskId, sink.url(`/${taskId}`));
      tasks.push(taskId);
    }
    return tasks;
  }

  it('are tried by one stream at a time, and get everything in order when they are back', async () => {
    sink.answer = 503;
    const tasks = await manyTasks(8);
    await engine.start();
    await eventually(async () => {
      const [endpoint] = await engine.endpoints.list({}, EVERYTHING, 1, null);
      expect(endpoint).toMatchObject({ state: 'failing' });
    }, DEADLINE_MS);
    await Promise.all(tasks.map((id) => engine.append(id, statusWire(id, 'COMPLETED'))));
    await eventually(async () => {
      const sql = 'SELECT id FROM push_delivery_streams WHERE lease_until IS NOT NULL';
      expect(await database.read(sql)).toEqual([]);
    }, DEADLINE_MS);
    let inside = 0;
    let most = 0;
    sink.answer = (_, response) => {
      most = Math.max(most, ++inside);
      setTimeout(() => {
        inside -= 1;
        response.writeHead(503).end();
      }, 30);
    };
    const before = sink.received.length;
    await sink.until((all) => all.length >= before + 3, DEADLINE_MS);
    expect(most).toBe(1);

    sink.answer = 200;
    for (const taskId of tasks) {
      await states(taskId, 'delivered', 'delivered');
      const numbers = numbersAt(`/${taskId}`);
      expect(numbers.at(-1)).toBe('2');
      expect(numbers.slice(0, -1).every((number) => number === '1')).toBe(true);
    }
    const events = await engine.endpoints.eventsAfter(0, EVERYTHING, 10);
    expect(events.map(({ type }) => type)).toEqual(['endpoint.failing', 'endpoint.recovered']);
  });

  it('give back nothing twice when the answer of a commit is lost', async () => {
    const [taskId] = await manyTasks(1);
    database.losesAnswer = (sql) => sql.some((each) => each.includes('INSERT INTO push_attempts'));
    await engine.start();
    await states(taskId!, 'delivered');
    await engine.append(taskId!, statusWire(taskId!, 'COMPLETED'));
    await states(taskId!, 'delivered', 'delivered');
    expect(numbersAt(`/${taskId!}`)).toEqual(['1', '2']);
  });

  it('hear of everything once when the database was away between answer and record', async () => {
    const [taskId] = await manyTasks(1);
    sink.answer = (_, response) => {
      database.away = true;
      setTimeout(() => (database.away = false), 400);
      sink.answer = 200;
      response.writeHead(200).end();
    };
    await engine.start();
    await sink.waitForCount(1, DEADLINE_MS);
    await eventually(() => expect(database.away).toBe(false), DEADLINE_MS);
    await states(taskId!, 'delivered');
    expect(sink.received).toHaveLength(1);
    // It asked now and then, not as fast as it could.
    expect(database.refused).toBeLessThan(30);
  });

  it('lose nothing when the database is away before anything is sent', async () => {
    const [taskId] = await manyTasks(1);
    database.away = true;
    await engine.start().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(database.refused).toBeLessThan(10);
    database.away = false;
    await states(taskId!, 'delivered');
    expect(sink.received).toHaveLength(1);
  });

  it('get nothing more of a webhook that is deleted while an attempt is in flight', async () => {
    const [taskId] = await manyTasks(1);
    await engine.append(taskId!, statusWire(taskId!, 'COMPLETED'));
    sink.answer = { status: 200, delayMs: 150 };
    await engine.start();
    await sink.waitForCount(1, DEADLINE_MS);
    await engine.webhooks.removeOfTask(taskId!, 'c', new Date());
    const found = await engine.deliveries.list({ taskId: taskId! }, EVERYTHING, 10, null);
    expect(found.map(({ state, reason }) => [state, reason])).toEqual([
      ['dead', expect.stringMatching(/^the webhook was deleted: entries 1 to \d/)],
    ]);
    const other = await engine.beginTask();
    await engine.hook(other, sink.url('/other'));
    await states(other, 'delivered');
    expect(sink.at(`/${taskId!}`)).toHaveLength(1);
  });

  it('get what waits at the new address when a webhook is replaced in flight', async () => {
    const [taskId] = await manyTasks(1);
    sink.answer = { status: 503, delayMs: 150 };
    await engine.start();
    await sink.waitForCount(1, DEADLINE_MS);
    sink.answer = 200;
    await engine.hook(taskId!, sink.url('/new'));
    const [delivery] = await states(taskId!, 'delivered');
    expect(sink.at('/new')).toHaveLength(1);
    expect(sink.at('/new')[0]!.headers['webhook-id']).toBe(delivery!.webhookId);
  });

  it('get everything in order from several workers while they come and go', async () => {
    const troubles: unknown[] = [];
    const spy = jest.spyOn(SILENT, 'error').mockImplementation((fields) => {
      troubles.push(fields);
    });
    const tasks = await manyTasks(6);
    for (let i = 0; i < 3; i++) await engine.start();
    let count = 0;
    sink.answer = () => (++count % 9 < 3 ? 503 : 200);
    for (const state of ['WORKING', 'COMPLETED']) {
      await Promise.all(tasks.map((id) => engine.append(id, statusWire(id, state))));
    }
    for (const taskId of tasks) {
      await states(taskId, 'delivered', 'delivered', 'delivered');
      const numbers = numbersAt(`/${taskId}`).map(Number);
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(new Set(numbers).size).toBe(3);
    }
    spy.mockRestore();
    expect(troubles).toEqual([]);
  });
});

describe('the state of receivers at the admin API', () => {
  let hub: Hub;
  let sink: WebhookSink;
  let agent: RunningAgent;
  beforeAll(async () => {
    const breaker = { failures: 2, pauseMs: 50, maxPauseMs: 50 };
    const push = { scheduleMs: [20, 20, 20, 20, 20, 20, 20, 20, 20, 20], breaker };
    [hub, sink, agent] = await Promise.all([
      startHub({ config: { push } }),
      WebhookSink.start(),
      startSdkAgent({
        name: 'worker',
        execute: (turn) => void turn.task().complete(),
      }),
    ]);
    await hub.registerAgent(agent.url, { id: 'worker' });
  });
  afterAll(async () => {
    await hub.close();
    await Promise.all([agent, sink].map((each) => each.close()));
  });

  const get = (path: string, key?: string) =>
    hub.admin('GET', `/api/v1/push/${path}`, undefined, key);
  const follow = (lastEventId?: string) =>
    EventFeedReader.open(`${hub.url}/api/v1/push/events`, {
      authorization: `Bearer ${hub.adminKey}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    });

  it.each([
    ['endpoints?state=odd', 'state'],
    ['endpoints?cursor=x', 'cursor'],
    ['endpoints?endpoint=hooks', 'endpoint'],
    ['endpoints?limit=0', 'limit'],
    ['endpoints?nothing=1', 'nothing'],
    [`endpoints?organization=${'x'.repeat(300)}`, 'organization'],
    ['event-log?type=odd', 'type'],
    ['event-log?cursor=eA', 'cursor'],
    ['event-log?since=yesterday', 'since'],
    ['event-log?until=2026-02', 'until'],
  ])('refuses %s, naming the field', async (path, field) => {
    const answer = await get(path);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(`"${field}"`);
  });

  it('refuses to go on after an event of another feed', async () => {
    const reader = await follow('abc-1');
    expect(reader.status).toBe(400);
    await reader.close();
  });

  it('shows a receiver that fails and recovers, live, again, and to its organization only', async () => {
    const reader = await follow();
    const types = (): string[] => reader.events.map(({ event }) => event);
    sink.answer = 500;
    await hub.submit('hello', {
      configuration: { taskPushNotificationConfig: { url: sink.url() } },
      message: { metadata: { agentId: 'worker' } },
    });
    await eventually(() => expect(types()).toEqual(['endpoint.failing']), DEADLINE_MS);
    const origin = `http://127.0.0.1:${sink.port}`;
    const [failing] = (await get('endpoints?state=failing')).body.items;
    const name = encodeURIComponent(`${failing.organization} ${failing.origin}`);
    const { organization } = failing;
    const named = (await get(`endpoints?endpoint=${name}`)).body.items;
    expect(named).toEqual([expect.objectContaining({ organization, origin })]);
    const other = encodeURIComponent(`${failing.organization} https://other.example`);
    expect((await get(`endpoints?endpoint=${other}`)).body.items).toEqual([]);
    expect(failing).toMatchObject({
      origin,
      state: 'failing',
      breaker: 'open',
      lastError: 'HTTP 500',
      waiting: 1,
    });
    sink.answer = 200;
    await eventually(
      () => expect(types()).toEqual(['endpoint.failing', 'endpoint.recovered']),
      DEADLINE_MS,
    );
    await eventually(async () => {
      const [{ latency }] = (await get('endpoints')).body.items;
      expect(latency.attempts).toBeGreaterThan(1);
      expect(Date.parse(latency.measuredAt)).toBeGreaterThan(Date.now() - 60_000);
      expect(latency.p95Ms).toBeGreaterThanOrEqual(latency.medianMs);
    }, DEADLINE_MS);
    const [first, second] = reader.events;
    // Of no number: that would tell how much happens elsewhere.
    expect([first!.id, second!.id]).toEqual([
      expect.stringMatching(/^[\w-]{22}$/),
      expect.anything(),
    ]);
    expect((await follow('1')).status).toBe(400);
    expect(first!.data).toMatchObject({ type: 'endpoint.failing', origin, reason: 'HTTP 500' });
    await reader.close();

    const resumed = await follow(first!.id);
    await eventually(() => expect(resumed.events).toEqual([second]), DEADLINE_MS);
    await resumed.close();

    const log = (await get('event-log?limit=1')).body;
    expect(log.items).toMatchObject([{ id: second!.id, type: 'endpoint.recovered' }]);
    const older = (await get(`event-log?limit=1&cursor=${log.nextCursor}`)).body;
    expect(older).toMatchObject({ items: [{ id: first!.id }], nextCursor: null });

    const typesIn = async (query: string) =>
      (await get(`event-log?${query}`)).body.items.map(({ type }: { type: string }) => type);
    const at = (second!.data as { at: string }).at;
    expect(await typesIn(`since=${at}`)).toEqual(['endpoint.recovered']);
    expect(await typesIn(`until=${at}`)).toEqual(['endpoint.failing']);
    expect(await typesIn(`until=${at}&type=endpoint.recovered`)).toEqual([]);

    const stranger = await hub.createKey({ organization: 'elsewhere', scopes: ['push'] });
    const nothing = { items: [], nextCursor: null };
    for (const path of ['endpoints', 'event-log', 'endpoints?organization=default']) {
      expect((await get(path, stranger)).body).toEqual(nothing);
    }
    const metrics = await hub.admin('GET', '/metrics');
    expect(metrics.text).toContain('a2a_hub_push_deliveries_total{state="delivered"}');
    expect(metrics.text).toContain('a2a_hub_push_endpoints{state="open"} 0');
  });
});
