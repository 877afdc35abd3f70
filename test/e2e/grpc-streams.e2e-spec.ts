import { SendMessageRequest, type StreamResponse } from '@a2a-js/sdk';
import type { ClientReadableStream, ServiceError } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Draining } from '../../src/common/draining.js';
import type { Hub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type GrpcClient, V0, V1, failureOf } from '../support/grpc-client.js';
import { NOT_SERVING, SERVING, checkHealth, watchHealth } from '../support/grpc-health.js';
import { type GrpcHub, startGrpcHub } from '../support/grpc-hub.js';
import type { LiveTask } from '../support/live-task.js';
import type { ScriptedAgent } from '../support/scripted-agent.js';

const KIB = 1024;
const DRAIN_MS = 1500;

let served: GrpcHub;
let hub: Hub;
let agent: ScriptedAgent;
let client: GrpcClient;

beforeEach(async () => {
  served = await startGrpcHub(
    { server: { drainMs: DRAIN_MS }, tasks: { streamBufferBytes: 64 * KIB } },
    { live: { manual: true, chunks: 1000 } },
  );
  ({ hub, agent, client } = served);
});

afterEach(() => served.close());

/** A task that goes on as the test says. */
async function begin(): Promise<{ readonly id: string; readonly live: LiveTask }> {
  const task = await hub.submit('go', { message: { metadata: { agentId: 'scripted' } } });
  const id = task['id'] as string;
  await eventually(() => expect(agent.tasks.size).toBe(1), 10_000);
  const [live] = agent.tasks.values();
  live!.chunk();
  await hub.waitForTask(id, 'TASK_STATE_WORKING');
  return { id, live: live! };
}

/** Reads a stream as it comes. */
class Reader<Event> {
  readonly events: Event[] = [];
  failure: ServiceError | undefined;
  ended = false;

  constructor(readonly stream: ClientReadableStream<Event>) {
    stream.on('data', (event: Event) => this.events.push(event));
    stream.on('error', (error) => (this.failure = error as ServiceError));
    stream.on('end', () => (this.ended = true));
    stream.on('close', () => (this.ended = true));
  }

  async has(count: number): Promise<void> {
    await eventually(() => expect(this.events.length).toBeGreaterThanOrEqual(count), 10_000);
  }

  async end(): Promise<void> {
    await eventually(() => expect(this.ended || this.failure !== undefined).toBe(true), 30_000);
  }
}

function subscribe(id: string): Reader<StreamResponse> {
  return new Reader(client.stream(V1.subscribeToTask, { tenant: '', id }));
}

describe('a stream over gRPC', () => {
  it('is the same for every subscriber, and ends with the task', async () => {
    const { id, live } = await begin();
    const readers = [subscribe(id), subscribe(id)];
    const legacy = new Reader(client.stream(V0.taskSubscription, { name: `tasks/${id}` }));
    for (const reader of [...readers, legacy]) await reader.has(1);
    for (let count = 0; count < 5; count++) live.chunk();
    live.end();
    for (const reader of [...readers, legacy]) await reader.end();
    expect(readers[0]!.events.map((event) => event.payload!.$case)).toEqual([
      'task',
      ...Array<string>(5).fill('artifactUpdate'),
      'statusUpdate',
    ]);
    expect(readers[1]!.events).toEqual(readers[0]!.events);
    const [, ...updates] = legacy.events.map(({ payload }) => payload!);
    expect(updates.map(({ $case }) => $case)).toEqual([
      ...Array<string>(5).fill('artifactUpdate'),
      'statusUpdate',
    ]);
    expect(updates.at(-1)!.value).toMatchObject({ final: true });
    for (const reader of [...readers, legacy]) expect(reader.failure).toBeUndefined();
  });

  it('goes on for the others when a reader leaves, and so does the task', async () => {
    const { id, live } = await begin();
    const [leaving, staying] = [subscribe(id), subscribe(id)];
    await leaving.has(1);
    await staying.has(1);
    leaving.stream.cancel();
    await leaving.end();
    expect(leaving.failure).toMatchObject({ details: 'Cancelled on client' });
    live.chunk();
    live.end();
    await staying.end();
    expect(staying.failure).toBeUndefined();
    await hub.waitForTask(id, 'TASK_STATE_COMPLETED');
  });

  it('ends at its deadline, and the task goes on', async () => {
    const { id, live } = await begin();
    const deadline = Date.now() + 200;
    const failure = await failureOf(
      client.events(V1.subscribeToTask, { tenant: '', id }, {}, { deadline }),
    );
    expect(failure.code).toBe('DEADLINE_EXCEEDED');
    live.end();
    await hub.waitForTask(id, 'TASK_STATE_COMPLETED');
  });

  it('that is refused is a status before any message', async () => {
    const reader = subscribe('no-such-task');
    await reader.end();
    expect(reader.events).toEqual([]);
    expect(reader.failure).toMatchObject({ details: 'Task not found' });
  });

  it('drops a reader who reads nothing, and disturbs nobody else', async () => {
    const { id } = await begin();
    const [call] = agent.callsOf('SendStreamingMessage');
    const stuck = subscribe(id);
    await stuck.has(1);
    stuck.stream.pause();
    const reader = subscribe(id);
    await reader.has(1);
    const live = [...agent.tasks.values()][0]!;
    for (let count = 1; count <= 30; count++) {
      call!.event({
        artifactUpdate: {
          taskId: live.id,
          contextId: live.contextId,
          artifact: { artifactId: `large-${count}`, parts: [{ text: 'x'.repeat(100 * KIB) }] },
        },
      });
      await reader.has(1 + count);
    }
    // A reader that is behind is given a quarter of a second for each message before it is dropped.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    stuck.stream.resume();
    await stuck.end();
    expect(stuck.failure?.details).toBe('The reader is too slow; subscribe again.');
    expect(stuck.events.length).toBeLessThan(reader.events.length);
    live.end();
    await reader.end();
    expect(reader.failure).toBeUndefined();
  });
});

describe('while the process drains', () => {
  it('streams end as UNAVAILABLE, and the health is NOT_SERVING', async () => {
    const { id } = await begin();
    const reader = subscribe(id);
    await reader.has(1);
    const health = new Reader(watchHealth(client));
    await health.has(1);
    await hub.close();
    await reader.end();
    expect(reader.failure?.details).toContain('subscribe again');
    await health.end();
    expect(health.events.map(({ status }) => status)).toEqual([SERVING, NOT_SERVING]);
  });

  it('the health is NOT_SERVING once the stop is announced, when streams still go on', async () => {
    const { id, live } = await begin();
    const reader = subscribe(id);
    await reader.has(1);
    const health = new Reader(watchHealth(client));
    await health.has(1);
    hub.app.get(Draining).announce(1);
    await health.end();
    expect(health.events.map(({ status }) => status)).toEqual([SERVING, NOT_SERVING]);
    expect(await checkHealth(client)).toBe(NOT_SERVING);
    const late = new Reader(watchHealth(client));
    await late.has(1);
    const before = reader.events.length;
    live.chunk();
    await reader.has(before + 1);
    const begun = performance.now();
    await hub.close();
    expect(performance.now() - begun).toBeLessThan(DRAIN_MS);
    await late.end();
    expect(late.events.map(({ status }) => status)).toEqual([NOT_SERVING, NOT_SERVING]);
  });

  it('a reader who reads nothing holds it up no longer than the drain may take', async () => {
    const { id, live } = await begin();
    const [call] = agent.callsOf('SendStreamingMessage');
    const stuck = subscribe(id);
    await stuck.has(1);
    stuck.stream.pause();
    for (let count = 1; count <= 5; count++) {
      call!.event({
        artifactUpdate: {
          taskId: live.id,
          contextId: live.contextId,
          artifact: { artifactId: `large-${count}`, parts: [{ text: 'x'.repeat(100 * KIB) }] },
        },
      });
    }
    await hub.waitForTask(id, (task) => (task['artifacts'] as unknown[]).length === 6);
    const begun = performance.now();
    await hub.close();
    expect(performance.now() - begun).toBeLessThan(DRAIN_MS + 3000);
    stuck.stream.resume();
    await stuck.end();
    expect(stuck.failure).toBeDefined();
  });

  it('answers on their way are given, and new calls are refused', async () => {
    const request = SendMessageRequest.fromJSON({ tenant: 'scripted', message: userMessage('go') });
    const answer = client.call(V1.sendMessage, request);
    await eventually(() => expect(agent.tasks.size).toBe(1), 10_000);
    await hub.close();
    expect((await answer).payload!.$case).toBe('task');
    const late = await failureOf(
      client.call(V1.getTask, { tenant: '', id: 'x', historyLength: undefined }),
    );
    expect(late.code).toBe('UNAVAILABLE');
  });
});
