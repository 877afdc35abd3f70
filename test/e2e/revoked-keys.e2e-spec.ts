import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import type { Hub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { GrpcClient, V0, V1 } from '../support/grpc-client.js';
import { type GrpcHub, startGrpcHub } from '../support/grpc-hub.js';
import type { LiveTask } from '../support/live-task.js';
import type { ScriptedAgent } from '../support/scripted-agent.js';

let served: GrpcHub;
let hub: Hub;
let agent: ScriptedAgent;

beforeAll(async () => {
  served = await startGrpcHub({}, { live: { manual: true, chunks: 1000 } });
  ({ hub, agent } = served);
});

afterAll(() => served.close());

interface Key {
  readonly id: string;
  readonly key: string;
  readonly principalId: string;
}

async function newKey(principal?: string): Promise<Key> {
  const fields = { name: 'reader', scopes: ['a2a'], ...(principal && { principal }) };
  return (await hub.admin('POST', '/api/v1/keys', fields)).body as Key;
}

/** A task that goes on as the test says. */
async function begin(key: string): Promise<{ readonly id: string; readonly live: LiveTask }> {
  const known = new Set(agent.tasks.keys());
  const task = await hub.submit('go', { message: { metadata: { agentId: 'scripted' } } }, { key });
  const fresh = await eventually(() => {
    const found = [...agent.tasks].find(([id]) => !known.has(id))?.[1];
    expect(found).toBeDefined();
    return found!;
  }, 10_000);
  return { id: task['id'] as string, live: fresh };
}

describe('an open stream whose key is revoked', () => {
  it.each([
    ['HTTP+JSON 1.0', 'POST', '/a2a/tasks/{id}:subscribe', undefined, /UNAUTHENTICATED/],
    ['HTTP+JSON 0.3', 'GET', '/a2a/v1/tasks/{id}:subscribe', undefined, /event: error/],
    ['JSON-RPC 1.0', 'POST', '/a2a', 'SubscribeToTask', /UNAUTHENTICATED/],
    ['JSON-RPC 0.3', 'POST', '/a2a', 'tasks/resubscribe', /UNAUTHENTICATED/],
  ])('over %s ends with that', async (door, method, path, rpc, said) => {
    const old = await newKey();
    const { id, live } = await begin(old.key);
    const answer = await fetch(hub.url + path.replace('{id}', id), {
      method,
      headers: {
        authorization: `Bearer ${old.key}`,
        'a2a-version': door.slice(-3),
        ...(rpc && { 'content-type': 'application/json' }),
      },
      ...(rpc && {
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: rpc, params: { id } }),
      }),
    });
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    await hub.admin('DELETE', `/api/v1/keys/${old.id}`);
    const text = await answer.text();
    expect(text).toMatch(said);
    expect(text).toContain('The API key is no longer valid.');
    live.end();
  });

  it.each([
    [
      '1.0',
      (client: GrpcClient, id: string) => client.stream(V1.subscribeToTask, { tenant: '', id }),
    ],
    [
      '0.3',
      (client: GrpcClient, id: string) =>
        client.stream(V0.taskSubscription, { name: `tasks/${id}` }),
    ],
  ])('over gRPC %s ends with that', async (_version, open) => {
    const old = await newKey();
    const { id, live } = await begin(old.key);
    const client = await GrpcClient.of(hub, { key: old.key });
    const stream = open(client, id);
    const shown = new Promise((resolve) => stream.once('data', resolve));
    const failed = new Promise((resolve) => stream.once('error', resolve));
    await shown;
    await hub.admin('DELETE', `/api/v1/keys/${old.id}`);
    expect(await failed).toMatchObject({ code: status.UNAUTHENTICATED });
    client.close();
    live.end();
  });

  it('ends alone: those of another key of the same principal go on, and so does the task', async () => {
    const old = await newKey();
    const fresh = await newKey(old.principalId);
    const { id, live } = await begin(old.key);
    const [ended, kept] = [
      await hub.stream('SubscribeToTask', { id }, { key: old.key }),
      await hub.stream('SubscribeToTask', { id }, { key: fresh.key }),
    ];
    await kept.next();
    await hub.admin('DELETE', `/api/v1/keys/${old.id}`);
    await ended.next();
    expect(JSON.stringify(await ended.next())).toContain('UNAUTHENTICATED');
    expect(await ended.next()).toBeUndefined();
    live.chunk();
    live.end();
    const rest: unknown[] = [];
    for (let event = await kept.next(); event !== undefined; event = await kept.next())
      rest.push(event);
    expect(JSON.stringify(rest)).toContain('TASK_STATE_COMPLETED');
  });
});
