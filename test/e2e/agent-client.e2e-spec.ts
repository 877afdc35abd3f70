import express from 'express';
import { describe, expect, it } from '@jest/globals';
import { TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import { anAgent } from '../support/an-agent.js';
import {
  agentCalls,
  all,
  endpoint,
  failure,
  hello,
  kinds,
  options,
  withCredentials,
} from '../support/agent-calls.js';
import { AgentTurn, textOf } from '../support/agents.js';
import { listenOnLoopback } from '../support/http-listener.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const { client, closing, register, sdkAgent, scripted, raw } = agentCalls();

describe.each(['1.0', '0.3'] as const)('calling an SDK agent of protocol %s', (version) => {
  it('always says its version, and sends extensions, hops, trace and credentials', async () => {
    const { running, agent } = await sdkAgent({ version });
    const known = withCredentials(agent, { authorization: 'Bearer abcdef' });
    await all(
      client.stream(
        known,
        hello(),
        options({
          extensions: ['urn:a', 'urn:b'],
          hops: ['hub-1', 'hub-2'],
          traceparent: '00-a-b-01',
        }),
      ),
    );
    const header = version === '1.0' ? 'a2a-extensions' : 'x-a2a-extensions';
    expect(running.calls[0]?.headers).toMatchObject({
      'a2a-version': version,
      [header]: 'urn:a,urn:b',
      'a2a-hub-hops': 'hub-1,hub-2',
      traceparent: '00-a-b-01',
      authorization: 'Bearer abcdef',
    });
  });

  it('never sends a push config', async () => {
    const { running, agent } = await sdkAgent({ version });
    await all(client.stream(agent, hello(), options()));
    await client.send(agent, hello(), options());
    expect(running.calls).toHaveLength(2);
    expect(JSON.stringify(running.calls.map((call) => call.body))).not.toMatch(/push/i);
  });
});

describe('calling an agent of protocol 0.x', () => {
  it('always sends acceptedOutputModes and says whether it waits', async () => {
    const { running, agent } = await sdkAgent({ version: '0.3' });
    await client.send(agent, hello(), options());
    await all(client.stream(agent, hello(), options()));
    expect(running.calls.map((call) => call.body['params'].configuration)).toEqual([
      { blocking: false, acceptedOutputModes: [] },
      { blocking: true, acceptedOutputModes: [] },
    ]);
  });

  it('speaks 0.3 to an agent whose card is of version 0.2.5', async () => {
    const card: Record<string, unknown> = {
      supportedInterfaces: undefined,
      protocolVersion: '0.2.5',
    };
    const running = await ScriptedAgent.start({
      card,
      handlers: {
        'message/send': (call) =>
          call.result({ kind: 'task', id: 't', contextId: 'c', status: { state: 'submitted' } }),
      },
    });
    closing.push(() => running.close());
    card['url'] = `${running.url}/rpc`;
    const agent = await register(running.url);
    expect(JSON.parse(agent.originalCard).protocolVersion).toBe('0.2.5');
    expect(agent.endpoint.protocolVersion).toBe('0.3');
    const sent = await client.send(agent, hello(), options());
    expect('task' in sent && sent.task.status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
    expect(running.calls.map((call) => call.method)).toEqual(['message/send']);
  });

  it('cannot find a task by its message and asks nothing', async () => {
    const { running, agent } = await sdkAgent({ version: '0.3' });
    expect(await client.findTasksByMessage(agent, 'c', 'm', options())).toEqual([]);
    expect(running.calls).toEqual([]);
  });

  it('reads fasta2a 0.5: snake_case answers and timestamps without a zone', async () => {
    const answer = {
      id: 't',
      context_id: 'c',
      kind: 'task',
      status: { state: 'completed', timestamp: '2026-11-21T02:15:22.137971' },
      history: [
        { role: 'user', kind: 'message', message_id: 'm', parts: [{ kind: 'text', text: 'x' }] },
      ],
      artifacts: [
        { artifact_id: 'a', parts: [{ kind: 'data', data: { snake_key: 1 } }], name: 'result' },
      ],
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: answer });
    const agent = await raw(200, body, 'application/json');
    const task = await client.getTask(
      { ...agent, endpoint: { ...agent.endpoint, protocolVersion: '0.3' } },
      't',
      options(),
    );
    expect(task).toMatchObject({ id: 't', contextId: 'c' });
    expect(task.status?.timestamp).toBe('2026-11-21T02:15:22.137Z');
    expect(task.history[0]?.messageId).toBe('m');
    expect(task.artifacts[0]).toMatchObject({
      artifactId: 'a',
      parts: [{ content: { $case: 'data', value: { snake_key: 1 } } }],
    });
  });

  it('reads JSON-RPC answers of type text/plain', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: { kind: 'task', id: 't', contextId: 'c', status: { state: 'working' } },
    });
    const agent = await raw(200, body, 'text/plain; charset=utf-8');
    const legacy = { ...agent, endpoint: endpoint(agent.endpoint.url, '0.3') };
    expect((await client.getTask(legacy, 't', options())).id).toBe('t');
  });

  it('takes the state unknown for unspecified, which means ask again', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: { kind: 'task', id: 't', contextId: 'c', status: { state: 'unknown' } },
    });
    const agent = await raw(200, body, 'application/json');
    const legacy = { ...agent, endpoint: endpoint(agent.endpoint.url, '0.3') };
    const task = await client.getTask(legacy, 't', options());
    expect(task.status?.state).toBe(TaskState.TASK_STATE_UNSPECIFIED);
  });

  it.each<[number, string, string, number | undefined]>([
    [404, 'Task not found', 'not-found', -32001],
    [404, 'Method not found', 'rejected', undefined],
    [409, 'Task cannot be canceled - current state: completed', 'rejected', -32002],
    [422, 'Task t is in terminal state: completed', 'rejected', -32602],
    [501, 'This operation is not supported', 'rejected', -32004],
    [500, 'unknown exception', 'rejected', undefined],
  ])('reads the bare messages of REST agents in Python: %d %s', async (status, ...told) => {
    const [message, kind, code] = told;
    const agent = await raw(status, JSON.stringify({ message }), 'application/json');
    const legacy = { ...agent, endpoint: endpoint(agent.endpoint.url, '0.3', 'HTTP+JSON') };
    const error = await failure(client.getTask(legacy, 't', options()));
    expect([error.kind, error.detail.code]).toEqual([kind, code]);
  });

  it('reads the file names and metadata that REST agents in Python give parts', async () => {
    const parts = [
      { file: { fileWithUri: 'https://x/y', mimeType: 'text/csv', name: 'r.csv' } },
      { text: 'x', metadata: { k: 'v' } },
    ];
    const task = {
      id: 't',
      contextId: 'c',
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ artifactId: 'a', parts }],
    };
    const answering = async (body: string, type: string) => {
      const agent = await raw(200, body, type);
      return { ...agent, endpoint: endpoint(agent.endpoint.url, '0.3', 'HTTP+JSON') };
    };
    const expected = { parts: [{ filename: 'r.csv' }, { metadata: { k: 'v' } }] };
    const plain = await answering(JSON.stringify({ task }), 'application/json');
    const sent = await client.send(plain, hello(), options());
    expect(sent).toMatchObject({ task: { artifacts: [expected] } });
    const event = `data: ${JSON.stringify({ task })}\n\n`;
    const streaming = await answering(event, 'text/event-stream');
    const [first] = await all(client.stream(streaming, hello(), options()));
    expect(first?.payload?.value).toMatchObject({ artifacts: [expected] });
  });

  it('joins pretty-printed REST events that span many data lines', async () => {
    const event = {
      statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } },
    };
    const lines = JSON.stringify(event, null, 2).replaceAll('\n', '\r\ndata: ');
    const agent = await raw(200, `data: ${lines}\r\n\r\n`, 'text/event-stream');
    const legacy = { ...agent, endpoint: endpoint(agent.endpoint.url, '0.3', 'HTTP+JSON') };
    expect(kinds(await all(client.stream(legacy, hello(), options())))).toEqual(['statusUpdate']);
  });
});

describe('finding a task by its first message', () => {
  it('asks a 1.0 agent by context and gives the tasks that hold it', async () => {
    const { agent } = await sdkAgent({ version: '1.0' });
    await client.send(agent, hello('one', { messageId: 'm1' }), options());
    const sent = await client.send(agent, hello('two', { messageId: 'm2' }), options());
    if (!('task' in sent)) throw new Error('not a task');
    const { contextId, id } = sent.task;
    const found = await client.findTasksByMessage(agent, contextId, 'm2', options());
    expect(found.map((task) => task.id)).toEqual([id]);
    expect(await client.findTasksByMessage(agent, contextId, 'm1', options())).toEqual([]);
  });

  it('asks again with less history where that is too much, as LangGraph says', async () => {
    const { agent, running } = await scripted({
      handlers: {
        ListTasks: (call) => call.error(-32602, 'historyLength cannot exceed 10'),
      },
    });
    expect(await client.findTasksByMessage(agent, 'c', 'm', options())).toEqual([]);
    const requested = running.calls.map(({ params }) => params['historyLength']);
    expect(requested).toEqual([100, 10]);
  });

  it.each([
    [-32601, 'Method not found'],
    // What fasta2a 2 answers.
    [-32004, 'This operation is not supported'],
  ])('is told nothing by an agent without ListTasks (%d)', async (code, text) => {
    const { agent, running } = await scripted({
      handlers: { ListTasks: (call) => call.error(code, text) },
    });
    expect(await client.findTasksByMessage(agent, 'c', 'm', options())).toEqual([]);
    expect(running.calls.map((call) => call.method)).toEqual(['ListTasks']);
  });
});

describe.each(['1.0', '0.3'] as const)('calling an SDK agent over HTTP+JSON %s', (version) => {
  async function restAgent() {
    const app = express();
    const { url, close } = await listenOnLoopback(app);
    closing.push(close);
    const { card } = anAgent('rest');
    const iface = { url: `${url}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: version };
    const handler = new DefaultRequestHandler(
      { ...card, supportedInterfaces: [{ ...iface, tenant: '' }] },
      new InMemoryTaskStore(),
      {
        execute: async (context, bus) => {
          const turn = new AgentTurn(context, bus);
          if (turn.text === 'reply') return void turn.reply('hi');
          turn.task().working().artifact('a', turn.text);
          if (turn.text !== 'ask') turn.complete();
          else turn.askForInput('what?');
        },
        cancelTask: async (taskId, bus) => {
          const status = {
            state: TaskState.TASK_STATE_CANCELED,
            message: undefined,
            timestamp: '',
          };
          bus.publish(
            AgentEvent.statusUpdate({ taskId, contextId: 'c', status, metadata: undefined }),
          );
          bus.finished();
        },
      },
    );
    app.use(
      '/rest',
      restHandler({
        requestHandler: handler,
        userBuilder: UserBuilder.noAuthentication,
        legacyCompat: { enabled: true },
      }),
    );
    return anAgent('rest', { endpoint: endpoint(`${url}/rest`, version, 'HTTP+JSON') });
  }

  it('streams, sends and gets', async () => {
    const agent = await restAgent();
    const events = await all(client.stream(agent, hello(), options()));
    expect(kinds(events)).toEqual(['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate']);
    const sent = await client.send(agent, hello('reply'), options());
    expect('message' in sent && textOf(sent.message.parts)).toBe('hi');
    const [first] = events;
    const id = first?.payload?.$case === 'task' ? first.payload.value.id : '';
    const task = await client.getTask(agent, id, options());
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(textOf(task.artifacts[0]?.parts)).toBe('hello');
  });

  it('cancels, and tells an unknown task from one that cannot be canceled', async () => {
    const agent = await restAgent();
    const asking = await all(client.stream(agent, hello('ask'), options()));
    const id = asking[0]?.payload?.$case === 'task' ? asking[0].payload.value.id : '';
    const canceled = await client.cancel(agent, id, options());
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const [done] = await all(client.stream(agent, hello(), options()));
    const ended = done?.payload?.$case === 'task' ? done.payload.value.id : '';
    expect(await failure(client.cancel(agent, ended, options()))).toMatchObject({
      kind: 'rejected',
      detail: { code: -32002 },
    });
    expect((await failure(client.getTask(agent, 'nope', options()))).kind).toBe('not-found');
  });
});
