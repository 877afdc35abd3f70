import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../../support/app.js';
import { allBindings, type Binding, type BindingError } from '../../support/bindings.js';
import type { JsonObject } from '../../support/json.js';
import { ScriptedAgent } from '../../support/scripted-agent.js';
import { DIALECTS, textPart } from './dialects.js';
import { Sides } from './sides.js';

const EXTENSION = 'https://example.com/extensions/of-the-agent';

let sides: Sides;
let bindings: Binding[];

beforeAll(async () => {
  sides = await Sides.start({ streaming: false, extension: EXTENSION });
  bindings = allBindings(sides.hub);
});

afterAll(async () => {
  for (const binding of bindings) binding.close();
  await sides.close();
});

async function refusalOf(binding: Binding): Promise<BindingError['refusal']> {
  const requested = binding.get('no-such-task');
  return requested.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: BindingError) => error.refusal,
  );
}

describe('errors', () => {
  it('error.json-rpc', async () => {
    const [current, legacy] = await Promise.all(
      (['1.0', '0.3'] as const).map((version) => {
        const method = version === '1.0' ? 'GetTask' : 'tasks/get';
        return sides.hub.rpcRaw(method, { id: 'no-such-task' }, { version: null });
      }),
    );
    expect(current!.body['error']).toMatchObject({
      code: -32001,
      data: [{ reason: 'TASK_NOT_FOUND' }],
    });
    expect(legacy!.body['error']).toMatchObject({
      code: -32001,
      message: 'Task not found',
      data: { reason: 'TASK_NOT_FOUND' },
    });
  });

  it('error.http', async () => {
    const current = await sides.hub.get('/a2a/tasks/no-such-task', { version: null });
    expect(current).toMatchObject({
      status: 404,
      body: { error: { code: 404, status: 'NOT_FOUND', details: [{ reason: 'TASK_NOT_FOUND' }] } },
    });
    const legacy = await sides.hub.get('/a2a/v1/tasks/no-such-task', { version: null });
    expect(legacy).toMatchObject({
      status: 404,
      body: { code: -32001, message: 'Task not found' },
    });
  });

  it('error.grpc', async () => {
    for (const binding of bindings.filter(({ binding }) => binding === 'gRPC')) {
      expect(await refusalOf(binding)).toMatchObject({ status: 5, reason: 'TASK_NOT_FOUND' });
    }
  });

  it('error.new-in-0.3', async () => {
    const open = await startHub({ config: { auth: { mode: 'none' } } });
    const requested = open.rpc(
      'agent/getAuthenticatedExtendedCard',
      {},
      { key: null, version: '0.2.5' },
    );
    await expect(requested).rejects.toMatchObject({ code: -32007 });
    await open.close();
  });

  it('error.new-in-1.0', async () => {
    const unknown = sides.hub.rpc('tasks/get', { id: 'x' }, { version: '9.9' });
    await expect(unknown).rejects.toMatchObject({ code: -32009 });
    const card = sides.agents['0.3'].card();
    const capabilities = { extensions: [{ uri: 'urn:needed', required: true }] };
    await sides.hub.admin('POST', '/api/v1/agents', {
      id: 'needy',
      card: { ...card, capabilities },
    });
    const message = {
      kind: 'message',
      messageId: 'm',
      role: 'user',
      parts: [{ kind: 'text', text: 'x' }],
    };
    const options = { version: null, path: '/a2a/agents/needy' };
    await expect(sides.hub.rpc('message/send', { message }, options)).rejects.toMatchObject({
      code: -32008,
    });
  });

  it('error.from-agent', async () => {
    const agent = await ScriptedAgent.start({
      streaming: false,
      handlers: { SendMessage: (call) => call.error(-32602, 'at /srv/agent.py: bad') },
    });
    await sides.hub.registerAgent(agent.url, { id: 'failing' });
    for (const binding of bindings) {
      const outcome = await binding
        .send({ agentId: 'failing' })
        .catch((error: Error) => error.message);
      expect(JSON.stringify(outcome)).toMatch(/Scripted agent/);
      expect(JSON.stringify(outcome)).not.toContain('agent.py');
    }
    await agent.close();
  });
});

describe('headers', () => {
  describe.each(DIALECTS)('from a client of %s', (client) => {
    it.each(DIALECTS)('to an agent of %s: header.extensions', async (agent) => {
      const name = client === '1.0' ? 'a2a-extensions' : 'x-a2a-extensions';
      const headers = { [name]: `${EXTENSION}, urn:unknown` };
      await sides.send(client, agent, { parts: [textPart(client, 'x')] }, { headers });
      const got = sides.agents[agent].received.at(-1)!.headers;
      const requested = String(got[agent === '1.0' ? 'a2a-extensions' : 'x-a2a-extensions']);
      expect(requested.split(/, ?/)).toEqual([EXTENSION, 'urn:unknown']);
    });

    it.each(DIALECTS)('to an agent of %s: header.trace, header.hops', async (agent) => {
      const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
      const headers = {
        traceparent: `00-${trace}-00f067aa0ba902b7-01`,
        'a2a-hub-hops': 'hub-before',
      };
      await sides.send(client, agent, { parts: [textPart(client, 'x')] }, { headers });
      const got = sides.agents[agent].received.at(-1)!.headers;
      expect(got['traceparent']).toContain(trace);
      expect(got['a2a-hub-hops']).toMatch(/^hub-before, ?.+/);
    });

    it.each(DIALECTS)('to an agent of %s: header.idempotency-key', async (agent) => {
      const headers = { 'idempotency-key': `${client}-${agent}` };
      const message = {
        parts: [textPart(client, 'x')],
        others: { messageId: `m-${client}-${agent}` },
      };
      const first = await sides.send(client, agent, message, { headers });
      const again = await sides.send(client, agent, message, { headers });
      expect(again['id']).toBe(first['id']);
      const { received } = sides.agents[agent];
      expect(
        received.filter((one) => one.message['messageId'] === message.others.messageId),
      ).toHaveLength(1);
      expect(received.at(-1)!.headers).not.toHaveProperty('idempotency-key');
    });
  });

  it('header.extensions: the answer names those that are active', async () => {
    const message = { messageId: 'active', role: 'ROLE_USER', parts: [{ text: 'x' }] };
    const path = `/a2a/agents/${sides.agents['1.0'].id}`;
    const headers = { 'a2a-extensions': `${EXTENSION}, urn:unknown` };
    const answer = await sides.hub.rpcRaw('SendMessage', { message }, { path, headers });
    expect(answer.headers['a2a-extensions']).toBe(EXTENSION);
  });

  it('header.retry-after', async () => {
    const limited: Hub = await startHub({
      config: { grpc: { port: -1 }, server: { rateLimit: { requestsPerSecond: 1, burst: 0 } } },
    });
    const answers: JsonObject[] = [];
    for (let calls = 0; calls < 5; calls++) answers.push(await limited.get('/a2a/tasks'));
    const refused = answers.find(({ status }) => status === 429);
    expect(refused).toMatchObject({ headers: { 'retry-after': expect.stringMatching(/^\d+$/) } });
    await limited.close();
  });
});
