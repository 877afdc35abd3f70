import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { SendMessageRequest } from '@a2a-js/sdk';
import { status } from '@grpc/grpc-js';
import type { Hub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
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
  ])('over %s ends with that', async (binding, method, path, rpc, said) => {
    const old = await newKey();
    const { id, live } = await begin(old.key);
    const answer = await fetch(hub.url + path.replace('{id}', id), {
      method,
      headers: {
        authorization: `Bearer ${old.key}`,
        'a2a-version': binding.slice(-3),
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

/** How an open call that waits for its answer ended. */
interface Ended {
  readonly status: number;
  readonly text: string;
  readonly challenge: string | null;
}

describe('a send that waits for its result', () => {
  const v1 = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] };
  const v0 = {
    kind: 'message',
    messageId: 'm',
    role: 'user',
    parts: [{ kind: 'text', text: 'go' }],
  };
  const proto = { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'go' }] };
  const metadata = { agentId: 'scripted' };
  const rpc = (method: string, message: object): object => ({
    jsonrpc: '2.0',
    id: 7,
    method,
    params: { message: { ...message, messageId: randomUUID(), metadata } },
  });
  const rest = (message: object): object => ({
    message: { ...message, messageId: randomUUID(), metadata },
  });

  async function waiting(key: string, path: string, version: string, body: object): Promise<Ended> {
    const answer = await fetch(hub.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'a2a-version': version,
      },
      body: JSON.stringify(body),
    });
    const challenge = answer.headers.get('www-authenticate');
    return { status: answer.status, text: await answer.text(), challenge };
  }

  /** The task that the agent has begun since. */
  function begun(known: ReadonlySet<string>): Promise<LiveTask> {
    return eventually(() => {
      const found = [...agent.tasks].find(([id]) => !known.has(id))?.[1];
      expect(found).toBeDefined();
      return found!;
    }, 10_000);
  }

  it.each([
    ['HTTP+JSON 1.0', '/a2a/message:send', rest(v1)],
    ['HTTP+JSON 0.3', '/a2a/v1/message:send', rest(proto)],
    ['JSON-RPC 1.0', '/a2a', rpc('SendMessage', v1)],
    ['JSON-RPC 0.3', '/a2a', rpc('message/send', v0)],
  ])('over %s gets a 401 instead, and its task goes on', async (binding, path, body) => {
    const old = await newKey();
    const fresh = await newKey(old.principalId);
    const known = new Set(agent.tasks.keys());
    const answer = waiting(old.key, path, binding.slice(-3), body);
    const live = await begun(known);
    await hub.admin('DELETE', `/api/v1/keys/${old.id}`);
    const { status: code, text, challenge } = await answer;
    expect([code, text]).toEqual([401, expect.stringContaining('The API key is no longer valid.')]);
    expect(challenge).toContain('Bearer');
    expect(text).not.toContain('TASK_STATE');
    if (path === '/a2a') expect((JSON.parse(text) as { id: number }).id).toBe(7);
    live.end();
    const tasks = await eventually(async () => {
      const listed = await hub.rpc('ListTasks', {}, { key: fresh.key });
      expect(JSON.stringify(listed)).toContain('TASK_STATE_COMPLETED');
      return (listed as { tasks: unknown[] }).tasks;
    }, 10_000);
    expect(tasks).toHaveLength(1);
    // What it can be followed by, with another key.
    expect(text).toContain((tasks[0] as { id: string }).id);
  });

  it.each([
    [
      '1.0',
      (client: GrpcClient) =>
        client.call(
          V1.sendMessage,
          SendMessageRequest.fromJSON({ tenant: 'scripted', message: userMessage('go') }),
        ),
    ],
    [
      '0.3',
      (client: GrpcClient) =>
        client.call(V0.sendMessage, {
          request: {
            messageId: randomUUID(),
            contextId: '',
            taskId: '',
            role: 1,
            content: [{ part: { $case: 'text', value: 'go' } }],
            metadata,
            extensions: [],
          },
          configuration: undefined,
          metadata: undefined,
        }),
    ],
  ])('over gRPC %s ends UNAUTHENTICATED', async (version, send) => {
    const old = await newKey();
    const known = new Set(agent.tasks.keys());
    const client = await GrpcClient.of(hub, { key: old.key });
    const failed = send(client).then(
      () => undefined,
      (error: unknown) => error,
    );
    const live = await begun(known);
    await hub.admin('DELETE', `/api/v1/keys/${old.id}`);
    expect(await failed).toMatchObject({
      code: status.UNAUTHENTICATED,
      // 0.3 has a text of its own for each code.
      details: expect.stringContaining(version === '1.0' ? 'The task of the message is' : ''),
    });
    client.close();
    live.end();
  });

  it('ends with all keys of a principal that is disabled; those of others go on', async () => {
    const [mine, other] = [await newKey(), await newKey()];
    const second = await newKey(mine.principalId);
    const known = new Set(agent.tasks.keys());
    const send = (key: string): Promise<Ended> =>
      waiting(key, '/a2a', '1.0', rpc('SendMessage', v1));
    const answers = [mine, second, other].map(({ key }) => send(key));
    await eventually(() => expect(agent.tasks.size).toBe(known.size + 3), 10_000);
    const id = mine.principalId;
    expect((await hub.admin('POST', `/api/v1/principals/${id}:disable`)).body).toMatchObject({
      state: 'disabled',
    });
    expect((await answers[0])?.status).toBe(401);
    expect((await answers[1])?.status).toBe(401);
    expect((await send(mine.key)).status).toBe(401);
    for (const [task, live] of agent.tasks) if (!known.has(task)) live.end();
    const { status: code, text } = (await answers[2])!;
    expect([code, text]).toEqual([200, expect.stringContaining('TASK_STATE_COMPLETED')]);
    await hub.admin('POST', `/api/v1/principals/${id}:enable`);
    expect((await hub.rpc('ListTasks', {}, { key: mine.key })) as object).toBeDefined();
  });
});

describe('a feed of the admin API whose key is revoked', () => {
  it.each(['/api/v1/push/events', '/api/v1/agents/events'])('%s ends with that', async (path) => {
    const fields = { name: 'operator', scopes: ['push', 'agents'] };
    const made = (await hub.admin('POST', '/api/v1/keys', fields)).body as unknown as Key;
    const answer = await fetch(hub.url + path, {
      headers: { authorization: `Bearer ${made.key}` },
    });
    expect(answer.status).toBe(200);
    await hub.admin('DELETE', `/api/v1/keys/${made.id}`);
    const text = await answer.text();
    expect(text).toMatch(/event: error\ndata: .*"status":401.*no longer valid/);
  });
});

describe('an upload whose key is revoked', () => {
  it('is not answered, and leaves its room to other keys of the principal', async () => {
    const old = await newKey();
    const fresh = await newKey(old.principalId);
    const body = (): string => {
      const parts = [{ raw: Buffer.alloc(7 * 1024 * 1024).toString('base64') }];
      const message = { messageId: randomUUID(), role: 'ROLE_USER', parts };
      const configuration = { returnImmediately: true };
      return JSON.stringify({
        message: { ...message, metadata: { agentId: 'scripted' } },
        configuration,
      });
    };
    const head = (key: string) => ({
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'a2a-version': '1.0',
    });
    const url = `${hub.url}/a2a/message:send`;
    const text = body();
    const upload = httpRequest(url, {
      method: 'POST',
      headers: { ...head(old.key), 'content-length': text.length },
    });
    const answered = new Promise<number>((resolve) => {
      upload.once('response', (response) => resolve(response.resume().statusCode ?? 0));
    });
    upload.write(text.slice(0, 1_000_000));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await hub.admin('DELETE', `/api/v1/keys/${old.id}`);
    upload.end(text.slice(1_000_000));
    expect(await answered).toBe(401);
    const answer = await fetch(url, { method: 'POST', headers: head(fresh.key), body: body() });
    expect(answer.status).toBe(200);
    await answer.text();
    for (const live of agent.tasks.values()) live.end();
  });
});
