import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import type { Delivery } from '../../src/push/delivery/delivery.js';
import { describeDatabases } from '../support/databases.js';
import { PushEngine, chunkWire, statusWire } from '../support/push-engine.js';
import { testSecrets } from '../support/secret-box.js';
import { WebhookSink } from '../support/webhook-sink.js';

const DEADLINE_MS = 20_000;
describeDatabases('webhook delivery', (databases) => {
  let sink: WebhookSink;
  let engine: PushEngine;

  beforeEach(async () => {
    sink = await WebhookSink.start();
    engine = new PushEngine(await databases.open());
  });
  afterEach(async () => {
    await engine.close();
    await sink.close();
  });

  async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
    const end = performance.now() + DEADLINE_MS;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (performance.now() > end) throw new Error('it did not happen in time');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** The deliveries of a task, oldest first, once they are all in these states. */
  const deliveries = (taskId: string, ...states: string[]): Promise<Delivery[]> =>
    until(async () => {
      const found = await engine.deliveries.list({ taskId }, EVERYTHING, 100, null);
      const all = found.reverse();
      return all.map((each) => each.state).join() === states.join() ? all : undefined;
    });

  const header = (name: string) => sink.received.map(({ headers }) => headers[name]);

  const COMPLETED = (taskId: string): object => statusWire(taskId, 'COMPLETED');

  it('tells task, changes of state and whole artifacts once and in order', async () => {
    const taskId = await engine.beginTask();
    await engine.hook(taskId, sink.url());
    await engine.start();
    await engine.append(taskId, statusWire(taskId, 'WORKING', 'one'));
    await engine.append(taskId, statusWire(taskId, 'WORKING', 'two'));
    await engine.append(taskId, chunkWire(taskId, 'a', 'x'), chunkWire(taskId, 'b', '1'));
    await engine.append(taskId, chunkWire(taskId, 'a', 'y', { append: true, lastChunk: true }));
    await engine.append(taskId, chunkWire(taskId, 'b', '2', { append: true }), COMPLETED(taskId));
    await deliveries(taskId, ...Array<string>(5).fill('delivered'));

    expect(sink.received.map(({ json }) => json)).toMatchObject([
      { task: { id: taskId, status: { state: 'TASK_STATE_SUBMITTED' } } },
      {
        statusUpdate: { status: { state: 'TASK_STATE_WORKING', message: { messageId: 's-one' } } },
      },
      {
        artifactUpdate: {
          lastChunk: true,
          artifact: { artifactId: 'a', parts: [{ text: 'x' }, { text: 'y' }] },
        },
      },
      {
        artifactUpdate: {
          lastChunk: true,
          artifact: { artifactId: 'b', parts: [{ text: '1' }, { text: '2' }] },
        },
      },
      { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } },
    ]);
    expect(header('a2a-hub-sequence')).toEqual(['1', '3', '7', '9', '9']);
    expect(header('a2a-hub-delivery-number')).toEqual(['1', '2', '3', '4', '5']);
    expect(new Set(header('webhook-id')).size).toBe(5);
    expect(new Set(header('content-type'))).toEqual(new Set(['application/a2a+json']));
    expect(header('authorization')[0]).toBe('Bearer secret');
  });

  it('sends a 0.x webhook the whole task, one request per log entry', async () => {
    const taskId = await engine.beginTask();
    await engine.hook(taskId, sink.url(), {
      version: '0.3',
      sealedToken: testSecrets().seal('tok'),
    });
    await engine.start();
    await engine.append(taskId, chunkWire(taskId, 'a', 'x'), COMPLETED(taskId));
    await deliveries(taskId, 'delivered', 'delivered');

    expect(sink.received.map(({ json }) => json)).toMatchObject([
      { kind: 'task', id: taskId, status: { state: 'submitted' } },
      {
        kind: 'task',
        status: { state: 'completed' },
        artifacts: [{ artifactId: 'a', parts: [{ kind: 'text', text: 'x' }] }],
        history: [{ messageId: 'm1' }],
      },
    ]);
    expect(sink.received[0]!.json).not.toHaveProperty('artifacts.0');
    expect(sink.received[0]!.headers).toMatchObject({
      'content-type': 'application/json',
      'a2a-version': '0.3',
      'a2a-notification-token': 'tok',
      'x-a2a-notification-token': 'tok',
    });
  });

  it('retries with the same id and bytes, and only then goes on', async () => {
    const taskId = await engine.beginTask();
    await engine.append(taskId, COMPLETED(taskId));
    sink.script.push(503, 'cut');
    await engine.hook(taskId, sink.url());
    await engine.start();
    const [first] = await deliveries(taskId, 'delivered');

    expect(sink.received).toHaveLength(3);
    expect(new Set(header('webhook-id')).size).toBe(1);
    expect(new Set(sink.received.map(({ raw }) => raw.toString())).size).toBe(1);
    expect(header('a2a-hub-attempt')).toEqual(['1', '2', '3']);
    const attempts = await engine.deliveries.attempts(first!.id);
    expect(attempts.map(({ status, error }) => [status, error])).toEqual([
      [503, 'status'],
      [null, 'network'],
      [200, null],
    ]);
  });

  it('keeps what follows behind a failing event, also when more events come', async () => {
    const taskId = await engine.beginTask();
    await engine.hook(taskId, sink.url());
    sink.script.push(500, 500);
    await engine.start();
    await sink.waitForCount(1);
    await engine.append(taskId, statusWire(taskId, 'WORKING'));
    await engine.append(taskId, COMPLETED(taskId));
    await deliveries(taskId, 'delivered', 'delivered', 'delivered');
    expect(header('a2a-hub-sequence')).toEqual(['1', '1', '1', '3', '4']);
  });

  it('gives up when the schedule is used up, goes on, and tells of the gap', async () => {
    const taskId = await engine.beginTask();
    sink.script.push(503, 503, 503);
    await engine.hook(taskId, sink.url());
    await engine.append(taskId, statusWire(taskId, 'WORKING'), COMPLETED(taskId));
    await engine.start();
    const [first] = await deliveries(taskId, 'dead', 'delivered', 'delivered');

    expect(first!.reason).toBe('HTTP 503: given up after 3 tries');
    expect(header('a2a-hub-gap')).toEqual([undefined, undefined, undefined, '1', undefined]);
    expect(header('a2a-hub-delivery-number')).toEqual(['1', '1', '1', '2', '3']);
    expect(await engine.webhooks.ofTask(taskId, 'c')).toMatchObject({ state: 'active' });
  });

  it('gives a rejected event two quick retries and goes on', async () => {
    const taskId = await engine.beginTask();
    sink.script.push(422, 422, 422);
    await engine.hook(taskId, sink.url());
    await engine.append(taskId, COMPLETED(taskId));
    await engine.start();
    await deliveries(taskId, 'dead', 'delivered');
    expect(header('a2a-hub-sequence')).toEqual(['1', '1', '1', '3']);
    expect(sink.received.at(-1)!.headers['a2a-hub-gap']).toBe('1');
  });

  it('gives a rejected event its quick retries also after other failures', async () => {
    const taskId = await engine.beginTask();
    sink.script.push(503, 503, 422, 422, 422);
    await engine.hook(taskId, sink.url());
    await engine.append(taskId, COMPLETED(taskId));
    await engine.start();
    const [first] = await deliveries(taskId, 'dead', 'delivered');
    expect(first!.reason).toBe('HTTP 422: the receiver rejects it');
    expect(header('a2a-hub-sequence')).toEqual(['1', '1', '1', '1', '1', '3']);
  });

  it('sends a dead letter again with its id and bytes', async () => {
    const taskId = await engine.beginTask();
    sink.script.push(400, 400, 400);
    await engine.hook(taskId, sink.url());
    await engine.start();
    const [dead] = await deliveries(taskId, 'dead');
    await engine.deliveries.redeliver(dead!.id, EVERYTHING, new Date());
    await deliveries(taskId, 'delivered');
    await engine.deliveries.redeliver(dead!.id, EVERYTHING, new Date());
    await sink.waitForCount(5);
    await deliveries(taskId, 'delivered');
    expect(new Set(header('webhook-id')).size).toBe(1);
    expect(new Set(sink.received.map(({ raw }) => raw.toString())).size).toBe(1);
    expect(header('a2a-hub-attempt')).toEqual(['1', '2', '3', '4', '5']);
    expect(header('a2a-hub-gap')).toEqual(Array(5).fill(undefined));
  });

  it('sends nothing more after 410', async () => {
    const taskId = await engine.beginTask();
    sink.script.push(410);
    await engine.hook(taskId, sink.url());
    await engine.start();
    // The one it refused, and one that stands for what it was not asked about.
    await deliveries(taskId, 'dead', 'dead');
    await engine.append(taskId, COMPLETED(taskId));
    expect(await engine.webhooks.ofTask(taskId, 'c')).toMatchObject({
      state: 'disabled',
      stateReason: 'HTTP 410: the receiver wants no more',
    });
    expect(await engine.streams.nextDueAt(new Date())).toBeNull();
    expect(sink.received).toHaveLength(1);
  });

  it('tells a webhook of an ended task its final state, once', async () => {
    const taskId = await engine.beginTask();
    await engine.append(taskId, chunkWire(taskId, 'a', 'x'), COMPLETED(taskId));
    await engine.start();
    await engine.hook(taskId, sink.url());
    await deliveries(taskId, 'delivered');
    expect(sink.received.map(({ json }) => json)).toMatchObject([
      {
        task: {
          id: taskId,
          status: { state: 'TASK_STATE_COMPLETED' },
          artifacts: [{ artifactId: 'a' }],
        },
      },
    ]);
  });

  it('tells a webhook of a running task its present state and then what follows', async () => {
    const taskId = await engine.beginTask();
    await engine.append(taskId, statusWire(taskId, 'WORKING'), chunkWire(taskId, 'a', 'x'));
    await engine.start();
    await engine.hook(taskId, sink.url());
    await sink.waitForCount(1);
    await engine.append(taskId, chunkWire(taskId, 'a', 'y', { append: true }), COMPLETED(taskId));
    await deliveries(taskId, 'delivered', 'delivered', 'delivered');
    expect(sink.received.map(({ json }) => json)).toMatchObject([
      {
        task: { status: { state: 'TASK_STATE_WORKING' }, artifacts: [{ parts: [{ text: 'x' }] }] },
      },
      { artifactUpdate: { artifact: { parts: [{ text: 'x' }, { text: 'y' }] } } },
      { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } },
    ]);
  });

  it('goes on after a restart where it was, with the same bytes', async () => {
    const taskId = await engine.beginTask();
    sink.script.push('hang');
    await engine.hook(taskId, sink.url());
    const worker = await engine.start();
    await engine.append(taskId, COMPLETED(taskId));
    await sink.waitForCount(1);
    await worker.stop();
    await engine.start();
    await deliveries(taskId, 'delivered', 'delivered');
    expect(header('a2a-hub-sequence')).toEqual(['1', '1', '3']);
    expect(header('webhook-id')[1]).toBe(header('webhook-id')[0]);
    expect(sink.received[1]!.raw).toEqual(sink.received[0]!.raw);
  });

  it('sends the same again when whoever sent it is gone before it was recorded', async () => {
    const taskId = await engine.beginTask();
    sink.script.push(200, 'hang');
    await engine.hook(taskId, sink.url());
    await engine.start();
    await engine.append(taskId, COMPLETED(taskId));
    await sink.waitForCount(2);
    // One that is alone takes all that was leased before for left behind.
    await engine.start(true);
    const [, second] = await deliveries(taskId, 'delivered', 'delivered');
    for (const name of ['webhook-id', 'a2a-hub-delivery-number', 'a2a-hub-sequence']) {
      expect(header(name)[2]).toBe(header(name)[1]);
    }
    expect(header('a2a-hub-delivery-number')).toEqual(['1', '2', '2']);
    expect(sink.received[2]!.raw).toEqual(sink.received[1]!.raw);
    expect(second).toMatchObject({ number: 2, attempts: 1 });
  });

  it('takes over the streams of a worker that is gone without a word', async () => {
    const taskId = await engine.beginTask();
    await engine.hook(taskId, sink.url());
    const dead = await engine.streams.claim('dead', new Date(), 200, { free: 1, perEndpoint: 1 });
    expect(dead).toHaveLength(1);
    await engine.start();
    await deliveries(taskId, 'delivered');
    expect(sink.received).toHaveLength(1);
  });

  it('keeps order and sends once with several workers', async () => {
    for (let i = 0; i < 3; i++) await engine.start();
    const tasks = await Promise.all(Array.from({ length: 12 }, () => engine.beginTask()));
    for (const taskId of tasks) await engine.hook(taskId, sink.url(`/${taskId}`));
    for (const state of ['WORKING', 'INPUT_REQUIRED', 'WORKING', 'COMPLETED']) {
      await Promise.all(tasks.map((taskId) => engine.append(taskId, statusWire(taskId, state))));
    }
    for (const taskId of tasks) {
      await deliveries(taskId, ...Array<string>(5).fill('delivered'));
      const seqs = sink.at(`/${taskId}`).map(({ headers }) => headers['a2a-hub-sequence']);
      expect(seqs).toEqual(['1', '3', '4', '5', '6']);
    }
  });

  it('lets a hanging receiver hurt only itself', async () => {
    const slow = await WebhookSink.start();
    slow.answer = 'hang';
    try {
      await engine.start();
      for (let i = 0; i < 15; i++) {
        await engine.hook(await engine.beginTask(), slow.url(), {
          endpoint: `acme ${slow.url('')}`,
        });
      }
      await slow.waitForCount(10);
      const taskId = await engine.beginTask();
      await engine.hook(taskId, sink.url());
      await sink.waitForCount(1, 900);
      expect(slow.received).toHaveLength(10);
    } finally {
      await slow.close();
    }
  });

  it('drops what was open when the webhook is deleted', async () => {
    const taskId = await engine.beginTask();
    // What is tried for the first time may not be stored yet; what is tried again is.
    sink.script.push(503);
    sink.answer = { status: 503, delayMs: 100 };
    await engine.hook(taskId, sink.url());
    await engine.start();
    await sink.waitForCount(2);
    await engine.webhooks.removeOfTask(taskId, 'c', new Date());
    await until(async () => {
      const found = await engine.deliveries.list({ taskId }, EVERYTHING, 100, null);
      const tried = found.filter(({ attempts }) => attempts > 0);
      return tried.length > 0 && found.every(({ state }) => state === 'dead') ? found : undefined;
    });
    const count = sink.received.length;
    await engine.append(taskId, COMPLETED(taskId));
    expect(await engine.streams.nextDueAt(new Date())).toBeNull();
    expect(sink.received.length).toBeLessThanOrEqual(count + 1);
  });
});

describeDatabases('large webhook bodies', (databases) => {
  it('become a thin form with a mark and the call that gets the rest', async () => {
    const sink = await WebhookSink.start();
    const engine = new PushEngine(await databases.open(), { maxBodyBytes: 2000 });
    try {
      const [one, zero] = [await engine.beginTask(), await engine.beginTask()];
      await engine.hook(one, sink.url('/1.0'));
      await engine.hook(zero, sink.url('/0.3'), { version: '0.3' });
      await engine.start();
      for (const taskId of [one, zero]) {
        await engine.append(taskId, chunkWire(taskId, 'a', 'x'.repeat(5000), { lastChunk: true }));
      }
      await sink.waitForCount(4);
      const [, artifact] = sink.at('/1.0');
      expect(artifact!.json).toMatchObject({
        artifactUpdate: {
          artifact: { artifactId: 'a', name: 'a' },
          metadata: {
            'urn:a2a-hub:push:v1': {
              thin: true,
              bytes: expect.any(Number),
              getTask: { url: 'https://hub.example/a2a', method: 'GetTask', id: one },
            },
          },
        },
      });
      const [, task] = sink.at('/0.3');
      expect(task!.json).toMatchObject({
        kind: 'task',
        id: zero,
        artifacts: [{ artifactId: 'a', parts: [] }],
        metadata: {
          'urn:a2a-hub:push:v1': {
            thin: true,
            bytes: expect.any(Number),
            getTask: { url: 'https://hub.example/a2a', method: 'tasks/get', id: zero },
          },
        },
      });
      for (const { raw } of sink.received) expect(raw.length).toBeLessThanOrEqual(2000);
    } finally {
      await engine.close();
      await sink.close();
    }
  });
});
