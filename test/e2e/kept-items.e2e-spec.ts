import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../src/common/clock.js';
import { TaskState, type Task } from '../../src/protocol/a2a.js';
import { textPart } from '../../src/protocol/build.js';
import { EMPTY_HEADER } from '../../src/tasks/domain/event-header.js';
import type { StreamItem, TaskLog } from '../../src/tasks/index.js';
import { takeBody, TaskStreams } from '../../src/tasks/reading/task-streams.js';
import { InProcessSignals } from '../../src/tasks/signals/in-process-signals.js';
import { UpdateWaiter } from '../../src/tasks/signals/update-waiter.js';
import type { TaskEvent } from '../../src/tasks/task.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { eventually } from '../support/eventually.js';
import { type BindingHarness, startBindings } from './bindings-harness.js';

const MIB = 1024 * 1024;
const VALUES = 100_000;

describe('while a stream waits for more', () => {
  let bindings: BindingHarness;

  beforeEach(async () => {
    bindings = await startBindings({ tasks: { heartbeatMs: 0 } });
    await bindings.server.listen({ port: 0, host: '127.0.0.1' });
  });

  afterEach(async () => {
    bindings.server.server.closeAllConnections();
    await bindings.server.close();
  });

  it.each([
    ['JSON-RPC 1.0', '/a2a', 'SubscribeToTask', '1.0'],
    ['JSON-RPC 0.3', '/a2a', 'tasks/resubscribe', '0.3'],
    ['JSON-RPC 0.2.5', '/a2a', 'tasks/resubscribe', undefined],
    ['HTTP+JSON 1.0', '/a2a/tasks/t:subscribe', undefined, '1.0'],
    ['HTTP+JSON 0.3', '/a2a/v1/tasks/t:subscribe', undefined, '0.3'],
  ])('nothing keeps the task that it began with over %s', async (_name, path, method, version) => {
    const kept: { task?: WeakRef<Task>; part?: WeakRef<object> } = {};
    bindings.on('tasks.subscribe', () => begunWith(kept));
    const stream = await open(path, method, version);
    let pieces: string[] = [];
    stream.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
    await eventually(() => expect(pieces.at(-1)).toMatch(/\n\n$/), 20_000);
    expect(valuesIn(pieces.join(''))).toBe(VALUES);
    pieces = [];
    await eventually(() => expect([kept.task, kept.part].map(isKept)).toEqual([false, false]));
    expect(bindings.readers()).toBe(1);
    stream.destroy();
  });

  async function open(
    path: string,
    method: string | undefined,
    version: string | undefined,
  ): Promise<IncomingMessage> {
    const { port } = bindings.server.server.address() as AddressInfo;
    return new Promise((resolve, reject) => {
      const call = request({
        port,
        host: '127.0.0.1',
        method: method === undefined ? 'GET' : 'POST',
        path,
        headers: {
          authorization: 'Bearer alice',
          ...(method !== undefined && { 'content-type': 'application/json' }),
          ...(version !== undefined && { 'a2a-version': version }),
        },
      });
      call.on('response', resolve).on('error', reject);
      call.end(method && JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id: 't' } }));
    });
  }

  it('nothing keeps the events of the log that it has shown', async () => {
    let events: WeakRef<TaskEvent>[] = [];
    const log: Partial<TaskLog> = {
      events: (_id, after) => {
        if (after > 0) return Promise.resolve([]);
        const page = [1, 2].map(largeEvent);
        events = page.map((event) => new WeakRef(event));
        return Promise.resolve(page);
      },
      ownEvents: () => [],
    };
    const [clock, signals, gone] = [
      new SystemClock(),
      new InProcessSignals(),
      new AbortController(),
    ];
    const pace = { firstMs: 60_000, maxMs: 60_000 };
    const ofStream = (taskId: string, signal?: AbortSignal): UpdateWaiter =>
      new UpdateWaiter(signals, taskId, clock, pace, [signal]);
    const streams = new TaskStreams(log as TaskLog, { ofStream }, clock);
    const items = streams.after('t', 0, TaskState.TASK_STATE_SUBMITTED, { signal: gone.signal });
    for (const seq of [1, 2]) {
      const item = (await items.next()).value as StreamItem;
      expect([item.seq, (takeBody(item) as string).length, item.body]).toEqual([seq, 2 * MIB, '']);
    }
    const next = items.next();
    await eventually(() => expect(events.map(isKept)).toEqual([false, false]));
    gone.abort();
    expect((await next).done).toBe(true);
  });
});

/** How many values an event shows of the only part of its task. */
function valuesIn(text: string): number {
  const json = JSON.parse(/^data: (.*)$/m.exec(text)![1]!);
  const { task = json.result } = json.result ?? json;
  const [{ data }] = (task.task ?? task).artifacts[0].parts;
  return (data.values ?? data.data.values).length as number;
}

function isKept(of: WeakRef<object> | undefined): boolean {
  collectGarbage();
  return of?.deref() !== undefined;
}

/** A task, which nothing here keeps, and then nothing. */
async function* begunWith(kept: {
  task?: WeakRef<Task>;
  part?: WeakRef<object>;
}): AsyncGenerator<StreamItem, void> {
  yield itemOf(kept);
  await new Promise(() => undefined);
}

function itemOf(kept: { task?: WeakRef<Task>; part?: WeakRef<object> }): StreamItem {
  const data = { values: Array.from({ length: VALUES }, (_, n) => `value ${n} of very many`) };
  const content = { $case: 'data' as const, value: data };
  const parts = [{ ...textPart(''), content }];
  const artifact = { artifactId: 'a', name: '', description: '', parts, extensions: [] };
  const body: Task = {
    id: 't',
    contextId: 'c',
    status: { state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp: undefined },
    artifacts: [{ ...artifact, metadata: undefined }],
    history: [],
    metadata: undefined,
  };
  kept.task = new WeakRef(body);
  kept.part = new WeakRef(data);
  return { seq: 1, body };
}

function largeEvent(seq: number): TaskEvent {
  const body = 'x'.repeat(2 * MIB);
  return { taskId: 't', seq, kind: 'artifact', at: new Date(0), header: EMPTY_HEADER, body };
}
