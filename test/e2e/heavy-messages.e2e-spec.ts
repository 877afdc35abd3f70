import { type Socket, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SendMessageRequest } from '@a2a-js/sdk';
import { type Hub, startHub } from '../support/app.js';
import { GrpcClient, V0, V1, failureOf } from '../support/grpc-client.js';
import { startGrpcHub } from '../support/grpc-hub.js';
import type { Json } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const MIB = 1024 * 1024;

let hub: Hub;
let agent: ScriptedAgent;
let key: string;

beforeAll(async () => {
  agent = await ScriptedAgent.start();
  hub = await startHub({ config: { grpc: { port: -1 } } });
  await hub.registerAgent(agent.url, { id: 'scripted' });
  key = await hub.createKey({ name: 'heavy' });
});

afterAll(async () => {
  await hub.close();
  await agent.close();
});

/** A way to send a message over HTTP; `fields` are those of the message in its version. */
interface Way {
  readonly name: string;
  readonly path: string;
  readonly version: string;
  readonly body: (fields: Json, others?: Json) => Json;
  readonly part: (content: { data?: Json; raw?: string }) => Json;
  readonly parts: string;
}

const v1Message = (fields: Json): Json => ({
  messageId: crypto.randomUUID(),
  role: 'ROLE_USER',
  parts: [{ text: 'hello' }],
  metadata: { agentId: 'scripted' },
  ...fields,
});
const v0Message = (fields: Json): Json => ({
  messageId: crypto.randomUUID(),
  role: 'user',
  parts: [{ kind: 'text', text: 'hello' }],
  metadata: { agentId: 'scripted' },
  ...fields,
});
const protoMessage = (fields: Json): Json => ({
  messageId: crypto.randomUUID(),
  role: 'ROLE_USER',
  content: [{ text: 'hello' }],
  metadata: { agentId: 'scripted' },
  ...fields,
});
const v1Part: Way['part'] = ({ data, raw }) => (raw === undefined ? { data } : { raw });
const v0Part: Way['part'] = ({ data, raw }) =>
  raw === undefined ? { kind: 'data', data: { data } } : { kind: 'file', file: { bytes: raw } };
const protoPart: Way['part'] = ({ data, raw }) =>
  raw === undefined ? { data: { data: { data } } } : { file: { fileWithBytes: raw } };

const WAYS: readonly Way[] = [
  {
    name: 'JSON-RPC 1.0',
    path: '/a2a',
    version: '1.0',
    body: (fields, others = {}) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: v1Message(fields), ...others },
    }),
    part: v1Part,
    parts: 'parts',
  },
  {
    name: 'JSON-RPC 0.3',
    path: '/a2a',
    version: '0.3',
    body: (fields, others = {}) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { message: v0Message(fields), ...others },
    }),
    part: v0Part,
    parts: 'parts',
  },
  {
    name: 'HTTP+JSON 1.0',
    path: '/a2a/message:send',
    version: '1.0',
    body: (fields, others = {}) => ({ message: v1Message(fields), ...others }),
    part: v1Part,
    parts: 'parts',
  },
  {
    name: 'HTTP+JSON 0.3',
    path: '/a2a/v1/message:send',
    version: '0.3',
    body: (fields, others = {}) => ({ message: v0Message(fields), ...others }),
    part: v0Part,
    parts: 'parts',
  },
  {
    name: 'HTTP+JSON 0.3 in ProtoJSON',
    path: '/a2a/v1/message:send',
    version: '0.3',
    body: (fields, others = {}) => ({ message: protoMessage(fields), ...others }),
    part: protoPart,
    parts: 'content',
  },
];

async function post(way: Way, body: Json): Promise<{ status: number; text: string }> {
  const answer = await fetch(hub.url + way.path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'a2a-version': way.version,
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
}

const many = (count: number, value: Json): Json[] => Array.from({ length: count }, () => value);

describe.each(WAYS)('$name', (way) => {
  it('refuses a message of more values than are allowed, and takes one of many', async () => {
    const of = (count: number): Json =>
      way.body({ [way.parts]: [way.part({ data: many(count, 1) })] });
    const { status, text } = await post(way, of(50_001));
    expect(status).toBe(413);
    expect(text).toContain('has more than 50000 values');
    expect((await post(way, of(40_000))).status).toBe(200);
  });

  it('refuses values that are in no part too, and such as nobody reads', async () => {
    const list = many(60_000, 0);
    for (const body of [
      way.body({ metadata: { list } }),
      way.body({}, { metadata: { list } }),
      way.body({}, { configuration: { acceptedOutputModes: list } }),
      { ...(way.body({}) as object), unknown: list },
    ]) {
      expect((await post(way, body)).status).toBe(413);
    }
  });

  it.each([
    ['parts', 1001],
    ['extensions', 101],
    ['referenceTaskIds', 101],
  ])('refuses too many %s and names them', async (field, count) => {
    const name = field === 'parts' ? way.parts : field;
    const item = field === 'parts' ? way.part({ raw: 'aGk=' }) : 'urn:example';
    const { text } = await post(way, way.body({ [name]: many(count, item) }));
    expect(text).toMatch(new RegExp(`${field}|${way.parts}`));
    expect(text).toContain(`must hold at most ${count - 1} items`);
  });

  it('answers with a few violations only, however many there are', async () => {
    const { text } = await post(way, way.body({ [way.parts]: many(900, { nothing: 1 }) }));
    expect(text.length).toBeLessThan(16 * 1024);
    expect(text).toContain('[0]');
  });

  it('refuses nesting before it is parsed', async () => {
    const body = JSON.stringify(way.body({ metadata: { deep: 'DEEP' } }));
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    const answer = await fetch(hub.url + way.path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'a2a-version': way.version,
      },
      body: body.replace('"DEEP"', deep),
    });
    expect(await answer.text()).toMatch(/nested more than \d+ levels deep/);
  });

  it('takes a file of 7 MiB', async () => {
    const raw = Buffer.alloc(7 * MIB, 1).toString('base64');
    const { status, text } = await post(way, way.body({ [way.parts]: [way.part({ raw })] }));
    expect({ status, text: text.slice(0, 300) }).toMatchObject({ status: 200 });
    expect(text).not.toContain('"error"');
  });
});

describe('gRPC', () => {
  const metadata = { agentId: 'scripted' };
  const part = (content: object): object => ({
    content,
    filename: '',
    mediaType: '',
    metadata: undefined,
  });
  const request = (fields: object): never =>
    ({
      ...V1.sendMessage.requestDeserialize(Buffer.alloc(0)),
      message: {
        messageId: crypto.randomUUID(),
        contextId: '',
        taskId: '',
        role: 1,
        parts: [part({ $case: 'text', value: 'hello' })],
        metadata,
        extensions: [],
        referenceTaskIds: [],
        ...fields,
      },
    }) as never;

  it('refuses a message of more values than are allowed before it is decoded', async () => {
    const client = await GrpcClient.of(hub, { key });
    const heavy = request({ parts: [part({ $case: 'data', value: many(60_000, 1) })] });
    expect(await failureOf(client.call(V1.sendMessage, heavy))).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'PAYLOAD_TOO_LARGE',
    });
    client.close();
  });

  it('refuses a large request of a method that only names things, by its length', async () => {
    const client = await GrpcClient.of(hub, { key });
    for (const { path } of [V1.getTask, V1.listTasks, V0.getTask, V0.cancelTask]) {
      expect(await failureOf(client.exchange(path, Buffer.alloc(300 * 1024)))).toMatchObject({
        code: 'RESOURCE_EXHAUSTED',
        reason: 'PAYLOAD_TOO_LARGE',
      });
    }
    client.close();
  });

  it('takes a file of 9 MiB', async () => {
    const client = await GrpcClient.of(hub, { key });
    const file = request({ parts: [part({ $case: 'raw', value: Buffer.alloc(9 * MIB, 1) })] });
    const { payload } = await client.call(V1.sendMessage, file);
    expect(payload?.$case).toBeDefined();
    client.close();
  });
});

describe('unfinished uploads of one principal', () => {
  it('hold a share of what the process receives, and nobody else up', async () => {
    const { hostname, port } = new URL(hub.url);
    const greedy = await hub.createKey({ name: 'greedy', organization: 'greedy' });
    const connections: Socket[] = [];
    hub.app.getHttpServer().on('connection', (socket: Socket) => connections.push(socket));
    const sockets = Array.from({ length: 40 }, () => connect(Number(port), hostname));
    const head = [
      'POST /a2a HTTP/1.1',
      `Host: ${hostname}`,
      `Authorization: Bearer ${greedy}`,
      'Content-Type: application/json',
      `Content-Length: ${10 * MIB}`,
    ];
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      socket.write(`${head.join('\r\n')}\r\n\r\n{"`);
      socket.write(Buffer.alloc(9 * MIB, 0x61));
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { status } = await post(WAYS[0]!, WAYS[0]!.body({}));
    expect(status).toBe(200);
    // One is read; of the others what came along with the head.
    const read = connections.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    expect(connections.length).toBeGreaterThanOrEqual(40);
    expect(read).toBeLessThan(20 * MIB);
    for (const socket of sockets) socket.destroy();
  });
});

describe('large messages of sends that wait for a silent agent', () => {
  it.each(['HTTP', 'gRPC'])('do not hold up the next one over %s', async (binding) => {
    const server = { maxBodyBytes: 16 * MIB, drainMs: 200 };
    const stage = await startGrpcHub({ server }, { live: { manual: true } });
    const served = stage.hub;
    const own = await served.createKey({ name: 'patient' });
    const client = await GrpcClient.of(served, { key: own });
    // Three of them are more than the share of a principal.
    const raw = Buffer.alloc(1.2 * MIB, 1).toString('base64');
    const send = async (configuration?: object): Promise<unknown> => {
      const message = {
        messageId: crypto.randomUUID(),
        role: 'ROLE_USER',
        parts: [{ raw }],
        metadata: { agentId: 'scripted' },
      };
      if (binding === 'gRPC') {
        const request = SendMessageRequest.fromJSON({ message, configuration });
        return (await client.call(V1.sendMessage, request)).payload?.$case;
      }
      const answer = await fetch(`${served.url}/a2a/message:send`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${own}`,
          'content-type': 'application/json',
          'a2a-version': '1.0',
        },
        body: JSON.stringify({ message, configuration }),
      });
      await answer.text();
      return answer.status === 200 ? 'task' : answer.status;
    };
    for (let i = 0; i < 4; i += 1) send().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await send({ returnImmediately: true })).toBe('task');
    client.close();
    await stage.close();
  });
});
