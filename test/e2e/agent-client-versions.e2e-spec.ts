import { json } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { TaskState } from '../../src/protocol/a2a.js';
import type { Agent } from '../../src/agents/agent.js';
import { agentCalls, all, failure, hello, kinds, options } from '../support/agent-calls.js';
import { startHub } from '../support/app.js';
import { FakeClock } from '../support/fake-clock.js';
import type { JsonObject } from '../support/json.js';
import { listenOnLoopback } from '../support/http-listener.js';
import { ScriptedAgent, type ScriptedCall } from '../support/scripted-agent.js';

const clock = new FakeClock();
const { client, closing, register, sdkAgent, scripted } = agentCalls(clock);

const TASK_0 = { kind: 'task', id: 't', contextId: 'c', status: { state: 'submitted' } };

/** A JSON-RPC agent whose card says 1.0 and that speaks 0.3. */
async function mistaken(refusal: (call: ScriptedCall) => void, changes: Partial<Agent> = {}) {
  return scripted(
    {
      handlers: {
        '*': refusal,
        'message/send': (call) => call.result(TASK_0),
        'message/stream': (call) => call.event(TASK_0).end(),
        'tasks/get': (call) => call.result(TASK_0),
      },
    },
    changes,
  );
}

const notSupported = (call: ScriptedCall) => call.error(-32009, 'Version not supported');
const methodsOf = (running: ScriptedAgent) => running.calls.map((call) => call.method);

describe('an agent that does not speak 1.0 after all', () => {
  it.each<[string, (call: ScriptedCall) => void]>([
    ['VersionNotSupported', notSupported],
    ['method not found', (call) => call.error(-32601, 'Method not found')],
  ])('is spoken to in 0.3 after %s, from then on at once', async (_name, refusal) => {
    const { running, agent } = await mistaken(refusal);
    expect(await client.send(agent, hello(), options())).toHaveProperty('task');
    expect(kinds(await all(client.stream(agent, hello(), options())))).toEqual(['task']);
    await client.getTask(agent, 't', options());
    expect(methodsOf(running)).toEqual([
      'SendMessage',
      'message/send',
      'message/stream',
      'tasks/get',
    ]);
    expect(running.calls.map((call) => call.headers['a2a-version'])).toEqual([
      '1.0',
      '0.3',
      '0.3',
      '0.3',
    ]);
    const [first, second] = running.calls;
    expect(second?.message['messageId']).toBe(first?.message['messageId']);
  });

  it('is asked in 1.0 again after an hour, and when its card changes', async () => {
    const { running, agent } = await mistaken(notSupported);
    await client.getTask(agent, 't', options());
    await clock.advance(3_599_000);
    await client.getTask(agent, 't', options());
    await clock.advance(1000);
    await client.getTask(agent, 't', options());
    const changed = { ...agent, originalCard: `${agent.originalCard} ` };
    await client.getTask(changed, 't', options());
    expect(methodsOf(running)).toEqual([
      'GetTask',
      'tasks/get',
      'tasks/get',
      'GetTask',
      'tasks/get',
      'GetTask',
      'tasks/get',
    ]);
  });

  it('is remembered by what another object of the same agent is given too', async () => {
    const { running, agent } = await mistaken(notSupported);
    await client.getTask(agent, 't', options());
    await client.getTask({ ...agent }, 't', options());
    expect(methodsOf(running)).toEqual(['GetTask', 'tasks/get', 'tasks/get']);
  });

  it('is not, when the operator pinned the version', async () => {
    const pin = { protocolBinding: null, protocolVersion: '1.0' } as const;
    const { running, agent } = await mistaken(notSupported, { pin });
    expect(await failure(client.send(agent, hello(), options()))).toMatchObject({
      kind: 'rejected',
      detail: { code: -32009 },
    });
    expect(methodsOf(running)).toEqual(['SendMessage']);
  });

  it('is asked once more, not for ever: the first refusal counts, and nothing is remembered', async () => {
    const { running, agent } = await scripted({ handlers: { '*': notSupported } });
    for (let round = 0; round < 2; round++) {
      expect(await failure(client.send(agent, hello(), options()))).toMatchObject({
        kind: 'rejected',
        detail: { code: -32009 },
      });
    }
    expect(methodsOf(running)).toEqual([
      'SendMessage',
      'message/send',
      'SendMessage',
      'message/send',
    ]);
  });

  it('is not remembered when its first event in 0.3 is garbage', async () => {
    const { running, agent } = await scripted({
      handlers: { '*': notSupported, 'message/stream': (call) => call.event({}).end() },
    });
    for (let round = 0; round < 2; round++) {
      const stream = all(client.stream(agent, hello(), options()));
      expect((await failure(stream)).kind).toBe('invalid');
    }
    expect(methodsOf(running)).toEqual([
      'SendStreamingMessage',
      'message/stream',
      'SendStreamingMessage',
      'message/stream',
    ]);
  });

  it('is not subscribed to', async () => {
    const { running, agent } = await mistaken(notSupported);
    await client.getTask(agent, 't', options());
    const events = all(client.subscribe(agent, 't', options()));
    expect((await failure(events)).kind).toBe('rejected');
    expect(methodsOf(running)).toEqual(['GetTask', 'tasks/get']);
  });

  it('is asked in 1.0 again as soon as it refuses 0.3', async () => {
    const { running, agent } = await mistaken(notSupported);
    await client.getTask(agent, 't', options());
    Object.assign(running.handlers, {
      GetTask: (call: ScriptedCall) =>
        call.result({ id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } }),
      'tasks/get': (call: ScriptedCall) => call.error(-32601, 'Method not found'),
    });
    await client.getTask(agent, 't', options());
    await client.getTask(agent, 't', options());
    expect(methodsOf(running).slice(2)).toEqual(['tasks/get', 'GetTask', 'GetTask']);
  });

  it('is called in 1.0 at the new address that an operator gives', async () => {
    const { running, agent } = await mistaken(notSupported);
    await client.getTask(agent, 't', options());
    const other = await scripted({
      handlers: {
        GetTask: (call) =>
          call.result({ id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } }),
      },
    });
    const { endpoint } = other.agent;
    await client.getTask({ ...agent, endpoint, endpointOverride: endpoint.url }, 't', options());
    expect(methodsOf(other.running)).toEqual(['GetTask']);
    expect(methodsOf(running)).toEqual(['GetTask', 'tasks/get']);
  });

  it('is not sent a message again that it took', async () => {
    const { running, agent } = await mistaken((call) => {
      const state = 'TASK_STATE_WORKING';
      call.event({ task: { id: 't', contextId: 'c', status: { state } } });
      const error = { code: -32009, message: 'late' };
      call.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: call.id, error })}\n\n`).end();
    });
    const stream = all(client.stream(agent, hello(), options()));
    expect((await failure(stream)).kind).toBe('interrupted');
    expect(methodsOf(running)).toEqual(['SendStreamingMessage']);
  });

  it('is remembered when its answer in 0.3 is another refusal', async () => {
    const { running, agent } = await scripted({
      handlers: { '*': notSupported, 'tasks/get': (call) => call.error(-32001, 'Task not found') },
    });
    for (let round = 0; round < 2; round++) {
      expect((await failure(client.getTask(agent, 't', options()))).kind).toBe('not-found');
    }
    expect(methodsOf(running)).toEqual(['GetTask', 'tasks/get', 'tasks/get']);
  });

  it('is spoken to at the 0.3 interface of its card, when that has one', async () => {
    const other = await ScriptedAgent.start({
      handlers: { 'tasks/get': (call) => call.result(TASK_0) },
    });
    closing.push(() => other.close());
    const { running, agent } = await scripted({ handlers: { '*': notSupported } });
    const [modern] = agent.card.supportedInterfaces;
    const legacy = { ...modern!, protocolVersion: '0.3', url: `${other.url}/old` };
    const card = { ...agent.card, supportedInterfaces: [modern!, legacy] };
    await client.getTask({ ...agent, card }, 't', options());
    expect([methodsOf(running), methodsOf(other)]).toEqual([['GetTask'], ['tasks/get']]);
  });

  it('has no ListTasks then', async () => {
    const { running, agent } = await mistaken(notSupported);
    await client.getTask(agent, 't', options());
    expect(await client.findTasksByMessage(agent, 'c', 'm', options())).toEqual([]);
    expect(methodsOf(running)).toEqual(['GetTask', 'tasks/get']);
  });

  it('is spoken to in 0.3 over HTTP+JSON', async () => {
    const paths: string[] = [];
    const { url, close } = await listenOnLoopback((request, response) => {
      paths.push(`${request.method} ${request.url} ${String(request.headers['a2a-version'])}`);
      const old = request.url?.startsWith('/rest/v1/');
      const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } };
      const error = {
        code: 400,
        status: 'FAILED_PRECONDITION',
        message: 'no',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'VERSION_NOT_SUPPORTED',
            domain: 'a2a-protocol.org',
          },
        ],
      };
      response.writeHead(old ? 200 : 400, { 'content-type': 'application/json' });
      response.end(JSON.stringify(old ? task : { error }));
    });
    closing.push(close);
    const { agent } = await scripted({
      card: {
        supportedInterfaces: [
          { url: `${url}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        ],
      },
    });
    const task = await client.getTask(agent, 't', options());
    expect(task.status?.state).toBe(TaskState.TASK_STATE_WORKING);
    expect(paths).toEqual(['GET /rest/tasks/t 1.0', 'GET /rest/v1/tasks/t 0.3']);
  });

  it('is spoken to in 0.3 over gRPC, when the 1.0 service is not there', async () => {
    const { agent, running } = await sdkAgent({ version: '0.3', binding: 'GRPC' });
    const endpoint = { ...agent.endpoint, protocolVersion: '1.0' } as const;
    const mistakenly = { ...agent, endpoint };
    expect(await client.send(mistakenly, hello(), options())).toHaveProperty('task');
    expect(running.turns).toHaveLength(1);
  });
});

describe('an agent of 0.3 behind a card of 1.0, which knows no method of 1.0', () => {
  it('is found out by the hub and never subscribed to', async () => {
    let state = 'working';
    const task = () => ({ ...TASK_0, status: { state } });
    const { running } = await scripted({
      handlers: {
        '*': (call) => call.error(-32601, 'Method not found'),
        'message/send': (call) => call.result(task()),
        'tasks/get': (call) => {
          call.result(task());
          state = 'completed';
        },
      },
    });
    const hub = await startHub();
    closing.push(() => hub.close());
    await hub.registerAgent(running.url, { id: 'old' });
    expect(JSON.stringify(await hub.send('hi', { tenant: 'old' }))).toContain('COMPLETED');
    expect([...new Set(methodsOf(running))]).toEqual([
      'SendStreamingMessage',
      'SendMessage',
      'message/send',
      'tasks/get',
    ]);
  });
});

describe('an agent of 1.0 without SubscribeToTask', () => {
  it('is not taken for one of 0.3', async () => {
    const { running, agent } = await scripted({
      handlers: {
        SubscribeToTask: (call) => call.error(-32601, 'Method not found'),
        'tasks/resubscribe': (call) => call.error(-32600, 'Invalid request'),
      },
    });
    const events = all(client.subscribe(agent, 't', options()));
    expect(await failure(events)).toMatchObject({ kind: 'rejected', detail: { code: -32601 } });
    expect(await client.send(agent, hello(), options())).toHaveProperty('task');
    expect(methodsOf(running)).toEqual(['SubscribeToTask', 'SendMessage']);
  });
});

describe('an agent of 0.2.5', () => {
  it('is read from the card it serves at /.well-known/agent.json alone', async () => {
    const methods: string[] = [];
    const { url, close } = await listenOnLoopback((request, response) => {
      if (request.method === 'GET') {
        const found = request.url === '/.well-known/agent.json';
        const card = {
          protocolVersion: '0.2.5',
          name: 'Old',
          description: 'An agent of 0.2.5',
          url: `${url}/`,
          version: '1.0.0',
          capabilities: { streaming: true },
          defaultInputModes: ['text/plain'],
          defaultOutputModes: ['text/plain'],
          skills: [{ id: 'old', name: 'Old', description: 'Old', tags: ['old'] }],
        };
        response.writeHead(found ? 200 : 404).end(found ? JSON.stringify(card) : '');
        return;
      }
      void json(request).then((body) => {
        const { id, method, params } = body as { id: number; method: string; params: JsonObject };
        methods.push(`${method} ${JSON.stringify(params['configuration'])}`);
        const result = { ...TASK_0, status: { state: 'working' } };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    });
    closing.push(close);
    const agent = await register(url);
    expect(agent.endpoint).toMatchObject({ protocolBinding: 'JSONRPC', protocolVersion: '0.3' });
    await client.send(agent, hello(), options());
    await client.cancel(agent, 't', options());
    await client.getTask(agent, 't', options());
    expect(methods).toEqual([
      'message/send {"blocking":false,"acceptedOutputModes":[]}',
      'tasks/cancel undefined',
      'tasks/get undefined',
    ]);
  });
});
