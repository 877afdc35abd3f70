import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SendMessageRequest } from '@a2a-js/sdk';
import { status } from '@grpc/grpc-js';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { GrpcClient, V0, V1 } from '../support/grpc-client.js';
import { type LogEntry, LogLines } from '../support/log-lines.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

const log = new LogLines();
let hub: Hub;
let agent: ScriptedAgent;
let slow: ScriptedAgent;
let grpc: GrpcClient;
let key: { readonly id: string; readonly key: string; readonly principalId: string };

beforeAll(async () => {
  [hub, agent, slow] = await Promise.all([
    startHub({ config: { grpc: { port: -1 } }, providers: log.providers }),
    ScriptedAgent.start({}),
    ScriptedAgent.start({ live: { manual: true } }),
  ]);
  await hub.registerAgent(agent.url, { id: 'scripted' });
  await hub.registerAgent(slow.url, { id: 'slow' });
  const fields = { name: 'caller', organization: 'acme', scopes: ['a2a'] };
  key = (await hub.admin('POST', '/api/v1/keys', fields)).body;
  grpc = await GrpcClient.of(hub, { key: key.key });
});

afterAll(async () => {
  grpc.close();
  await hub.close();
  await agent.close();
  await slow.close();
});

/** The line of the request with this id. */
function lineOf(id: string, message = 'request'): Promise<LogEntry['fields']> {
  return eventually(() => {
    const found = log.of(message).filter(({ requestId }) => requestId === id);
    expect(found).toHaveLength(1);
    return found[0]!;
  }, 10_000);
}

const headers = (id: string): Record<string, string> => ({
  'x-request-id': id,
  traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
});
const caller = () => ({
  caller: key.principalId,
  organization: 'acme',
  keyId: key.id,
  keyName: 'caller',
  traceId: TRACE,
});
const send = { message: { ...userMessage('hi'), metadata: { agentId: 'scripted' } } };

describe('the line of a request in the log', () => {
  it('tells of a JSON-RPC call who did what to which task', async () => {
    const answer = await hub.rpcRaw('SendMessage', send, { key: key.key, headers: headers('r1') });
    const taskId = answer.body.result.task.id as string;
    expect(answer.headers['x-request-id']).toBe('r1');
    const line = await lineOf('r1');
    expect(line).toMatchObject({
      ...{ method: 'POST', route: '/a2a', operation: 'SendMessage', taskId, status: 200 },
      ...caller(),
    });
    expect(line['ms']).toEqual(expect.any(Number));
    expect([line['code'], line['reason']]).toEqual([undefined, undefined]);
    expect(log.of('request', 'info')).toContainEqual(line);
  });

  it('tells why a JSON-RPC call failed, whose status is 200', async () => {
    const options = { key: key.key, headers: headers('r1b') };
    const { status: http } = await hub.rpcRaw('GetTask', { id: 'none' }, options);
    expect(http).toBe(200);
    expect(await lineOf('r1b')).toMatchObject({
      ...{ operation: 'GetTask', status: 200, code: -32001, reason: 'TASK_NOT_FOUND' },
      ...caller(),
    });
    const metadata = { agentId: 'nobody' };
    const message = { ...userMessage('hi'), metadata };
    await hub.rpcRaw('SendStreamingMessage', { message }, { ...options, headers: headers('r1c') });
    expect(await lineOf('r1c')).toMatchObject({ status: 200, code: -32602, reason: 'NO_ROUTE' });
  });

  it('names operations of 0.3 as 1.0 does', async () => {
    const { id } = await hub.send('hi', send, { key: key.key });
    const options = { key: key.key, version: '0.3', headers: headers('r2') };
    await hub.rpcRaw('tasks/get', { id }, options);
    expect(await lineOf('r2')).toMatchObject({ operation: 'GetTask', taskId: id, ...caller() });
  });

  it('tells of HTTP+JSON, where the path in the line is a pattern', async () => {
    const path = '/a2a/tasks/none';
    const answer = await hub.get(path, { key: key.key, headers: headers('r3') });
    expect([answer.status, answer.headers['x-request-id']]).toEqual([404, 'r3']);
    expect(await lineOf('r3')).toMatchObject({
      ...{ method: 'GET', route: '/a2a/tasks/:id', operation: 'GetTask', taskId: 'none' },
      ...{ status: 404, reason: 'TASK_NOT_FOUND', ...caller() },
    });
  });

  it('names who may not do what was asked', async () => {
    const path = '/api/v1/agents';
    const { status } = await hub.get(path, { key: key.key, headers: headers('r3b') });
    expect(status).toBe(403);
    expect(await lineOf('r3b')).toMatchObject({
      ...caller(),
      ...{ method: 'GET', route: path, status: 403, reason: 'PERMISSION_DENIED' },
      traceId: undefined,
    });
  });

  it('tells of a stream when it ends, and of one that its reader leaves', async () => {
    const whole = await hub.stream('SendStreamingMessage', send, {
      key: key.key,
      headers: headers('r4'),
    });
    expect(whole.headers['x-request-id']).toBe('r4');
    await whole.collect();
    const line = await lineOf('r4');
    expect(line).toMatchObject({ operation: 'SendStreamingMessage', status: 200 });
    expect(line['taskId']).toMatch(/./);
    expect(line).not.toHaveProperty('cut');
    const message = { ...userMessage('hi'), metadata: { agentId: 'slow' } };
    const left = await hub.stream(
      'SendStreamingMessage',
      { message },
      { key: key.key, headers: headers('r4b') },
    );
    await left.next();
    left.close();
    expect(await lineOf('r4b')).toMatchObject({ status: 200, cut: true, ...caller() });
  });

  it('tells of the admin API, and of whom it refuses', async () => {
    const path = '/api/v1/tasks/none';
    await hub.get(`${path}?secret=1`, { key: ADMIN_KEY, headers: headers('r5a') });
    expect(await lineOf('r5a')).toMatchObject({ status: 400, reason: 'INVALID_PARAMS' });
    const answer = await hub.get(path, { key: ADMIN_KEY, headers: headers('r5') });
    expect(answer.headers['x-request-id']).toBe('r5');
    expect(await lineOf('r5')).toMatchObject({
      ...{ method: 'GET', route: '/api/v1/tasks/:id', taskId: 'none', status: 404 },
      ...{ caller: 'admin', reason: 'TASK_NOT_FOUND' },
    });
    const refused = await hub.get('/api/v1/keys', { key: 'hub_x_wrong', headers: headers('r6') });
    expect([refused.status, refused.headers['x-request-id']]).toEqual([401, 'r6']);
    expect(await lineOf('r6')).toMatchObject({
      status: 401,
      reason: 'UNAUTHENTICATED',
      caller: undefined,
    });
    expect(JSON.stringify(log.entries)).not.toMatch(/secret=1|hub_x_wrong|admin-key-of/);
  });

  it('tells of paths that are none, as one route', async () => {
    await hub.get('/no/such', { key: null, headers: headers('r7') });
    expect(await lineOf('r7')).toMatchObject({ route: '(unknown)', status: 404 });
    const bad = await hub.get('/api/v1/agents/%zz', { key: null, headers: headers('r8') });
    expect([bad.status, bad.headers['x-request-id']]).toEqual([400, 'r8']);
    expect(await lineOf('r8')).toMatchObject({ route: '(unknown)', status: 400 });
  });

  it('is for debugging where machines ask all the time', async () => {
    await hub.get('/health/ready', { key: null, headers: headers('r9') });
    const line = await lineOf('r9');
    expect(log.of('request', 'debug')).toContainEqual(line);
  });

  it('tells of gRPC the same', async () => {
    const { headers: metadata } = await grpc.exchange(
      V1.sendMessage.path,
      V1.sendMessage.requestSerialize(SendMessageRequest.fromJSON(send)),
      headers('g1'),
    );
    expect(metadata.get('x-request-id')).toEqual(['g1']);
    const line = await lineOf('g1');
    expect(line).toMatchObject({
      ...{ method: V1.sendMessage.path, operation: 'SendMessage', status: 'OK', ...caller() },
    });
    expect(line['taskId']).toMatch(/./);
  });

  it.each([
    ['1.0', V1.getTask, { tenant: '', id: 'none', historyLength: undefined }],
    ['0.3', V0.getTask, { name: 'tasks/none', historyLength: 0 }],
  ] as const)(
    'names a gRPC call of %s that is refused in its status',
    async (_, method, request) => {
      const failure = await grpc
        .call(method as typeof V1.getTask, request as never, headers(`g2${method.path}`))
        .catch(
          (error: unknown) => error as { code: number; metadata: { get(n: string): unknown } },
        );
      expect(failure).toMatchObject({ code: status.NOT_FOUND });
      expect(
        (failure as { metadata: { get(n: string): unknown } }).metadata.get('x-request-id'),
      ).toEqual([`g2${method.path}`]);
      expect(await lineOf(`g2${method.path}`)).toMatchObject({
        ...{ operation: 'GetTask', taskId: 'none', status: 'NOT_FOUND' },
        ...{ reason: 'TASK_NOT_FOUND', ...caller() },
      });
    },
  );
});

describe('the id of a request', () => {
  it.each(['', 'two words', 'a'.repeat(129), 'x"y'])(
    'that is no id (%j) is replaced',
    async (id) => {
      const answer = await hub.get('/health/live', { key: null, headers: { 'x-request-id': id } });
      expect(answer.headers['x-request-id']).toMatch(UUID);
    },
  );
});

it('writes no lines with log.requests off, but those of failures', async () => {
  const quiet = new LogLines();
  const other = await startHub({
    config: { log: { requests: false } },
    providers: quiet.providers,
  });
  await other.get('/api/v1/keys', { key: ADMIN_KEY });
  await other.close();
  expect(quiet.of('request')).toEqual([]);
});
