import { describe, expect, it } from '@jest/globals';
import { artifactTexts } from '../support/builders.js';
import type { JsonObject } from '../support/json.js';
import { PeerAgents } from '../support/peer-agents.js';
import {
  ScriptedAgent,
  type ScriptedCall,
  type ScriptedHandler,
} from '../support/scripted-agent.js';

const peers = new PeerAgents();

/** An agent of JSON-RPC 1.0 that answers by these handlers. */
async function agentOf(
  handlers: Record<string, ScriptedHandler>,
  streaming = true,
): Promise<ScriptedAgent> {
  const agent = await ScriptedAgent.start({ streaming, handlers });
  await peers.register(agent.url, 'peer', () => agent.close());
  return agent;
}

const send = async (text = 'go', message: JsonObject = {}): Promise<JsonObject> =>
  (await peers.hub.send(text, { message }, { path: '/a2a/agents/peer' }))['task'] as JsonObject;

const task = (state: string, more: JsonObject = {}): JsonObject => ({
  id: 't',
  contextId: 'c',
  status: { state: `TASK_STATE_${state}` },
  ...more,
});
const status = (state: string): JsonObject => ({
  statusUpdate: { taskId: 't', contextId: 'c', status: { state: `TASK_STATE_${state}` } },
});
const chunk = (text: string): JsonObject => ({
  artifactUpdate: {
    taskId: 't',
    contextId: 'c',
    artifact: { artifactId: 'a', parts: [{ text }] },
  },
});
const stateOf = (one: JsonObject): string => String(one['status'].state);

describe('agents: a2a-sdk 1.x', () => {
  it('answers -32009 without A2A-Version: the hub says it with every call', async () => {
    const versions = (call: ScriptedCall, answer: () => void): void => {
      if (call.headers['a2a-version'] === '1.0') answer();
      else call.error(-32009, 'Version not supported');
    };
    const agent = await agentOf(
      {
        SendMessage: (call) => versions(call, () => call.result({ task: task('WORKING') })),
        GetTask: (call) => versions(call, () => call.result(task('COMPLETED'))),
      },
      false,
    );
    expect(stateOf(await send())).toBe('TASK_STATE_COMPLETED');
    expect(agent.calls.map(({ method }) => method)).toEqual(['SendMessage', 'GetTask']);
  });

  it('breaks a stream off with a named error event: what came before is kept', async () => {
    await agentOf({
      SendStreamingMessage: (call) => {
        const error = { jsonrpc: '2.0', id: call.id, error: { code: -32603, message: 'boom' } };
        call.event({ task: task('WORKING') }).event(chunk('kept'));
        call.write(`event: error\r\ndata: ${JSON.stringify(error)}\r\n\r\n`).end();
      },
      GetTask: (call) =>
        call.result(
          task('FAILED', { artifacts: [{ artifactId: 'a', parts: [{ text: 'kept' }] }] }),
        ),
    });
    const failed = await send();
    expect(stateOf(failed)).toBe('TASK_STATE_FAILED');
    expect(artifactTexts(failed)).toEqual(['kept']);
  });

  it('refuses a context that is not the one of the task: a follow-up names its own', async () => {
    const agent = await agentOf({
      SendStreamingMessage: (call) => {
        const followUp = call.message['taskId'] !== undefined && call.message['taskId'] !== '';
        if (followUp && (call.message['taskId'] !== 't' || call.message['contextId'] !== 'c')) {
          return call.error(-32602, 'contextId does not match the task');
        }
        call.event({ task: task(followUp ? 'WORKING' : 'SUBMITTED') });
        call.event(status(followUp ? 'COMPLETED' : 'INPUT_REQUIRED')).end();
      },
    });
    const requested = await send();
    expect(stateOf(requested)).toBe('TASK_STATE_INPUT_REQUIRED');
    const { id: taskId, contextId } = requested;
    expect(stateOf(await send('more', { taskId, contextId }))).toBe('TASK_STATE_COMPLETED');
    expect(agent.calls).toHaveLength(2);
  });

  it.each([
    ['a2a-sdk 1.x: -32004', -32004, 'The task has ended'],
    ['a2a-go v2: -32001', -32001, 'task not found: cannot subscribe: wrapped'],
  ])(
    'a subscription to an ended task is refused (%s): its end is got',
    async (_peer, code, text) => {
      await agentOf({
        SendStreamingMessage: (call) => {
          call.event({ task: task('WORKING') });
          setImmediate(() => call.cut());
        },
        SubscribeToTask: (call) => call.error(code, text),
        GetTask: (call) =>
          call.result(
            task('COMPLETED', { artifacts: [{ artifactId: 'a', parts: [{ text: 'the end' }] }] }),
          ),
      });
      const done = await send();
      expect(stateOf(done)).toBe('TASK_STATE_COMPLETED');
      expect(artifactTexts(done)).toEqual(['the end']);
    },
  );
});

describe('agents: a2a-go v2', () => {
  it('writes the id of an event before its data', async () => {
    await agentOf({
      SendStreamingMessage: (call) => {
        const write = (result: JsonObject): unknown =>
          call.write(
            `id: 0b5d2c1e-7a9f-4c55-8d0e-1f2a3b4c5d6e\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: call.id, result })}\n\n`,
          );
        write({ task: task('SUBMITTED') });
        write(chunk('one'));
        write(status('COMPLETED'));
        call.end();
      },
    });
    expect(artifactTexts(await send())).toEqual(['one']);
  });

  it('tells an error of a stream as its one event', async () => {
    await agentOf({
      SendStreamingMessage: (call) => {
        const error = {
          code: -32602,
          message: 'invalid params: wrapped: task is in a final state',
        };
        call.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: call.id, error })}\n\n`).end();
      },
    });
    const failed = await send();
    expect(['TASK_STATE_FAILED', 'TASK_STATE_REJECTED']).toContain(stateOf(failed));
    expect(failed['status'].message.parts[0].text).toContain('-32602');
  });
});

describe('agents: fasta2a 2', () => {
  it('never waits, has no ListTasks and no push: it is polled', async () => {
    const agent = await agentOf(
      {
        SendMessage: (call) => call.result({ task: task('SUBMITTED') }),
        GetTask: (call) => call.result(task(polls() < 3 ? 'WORKING' : 'COMPLETED')),
        ListTasks: (call) => call.error(-32004, 'This operation is not supported'),
        '*': (call) => call.send(500, 'Internal Server Error', 'text/plain; charset=utf-8'),
      },
      false,
    );
    const polls = (): number => agent.callsOf('GetTask').length;
    expect(stateOf(await send())).toBe('TASK_STATE_COMPLETED');
    const methods = new Set(agent.calls.map(({ method }) => method));
    expect(methods).toEqual(new Set(['SendMessage', 'GetTask']));
  });

  it('may show the last status of a stream twice: clients see it once', async () => {
    await agentOf({
      SendStreamingMessage: (call) => {
        call
          .event({ task: task('SUBMITTED') })
          .event(status('WORKING'))
          .event(chunk('one'));
        call.event(status('COMPLETED')).event(status('COMPLETED')).end();
      },
    });
    const stream = await peers.hub.stream(
      'SendStreamingMessage',
      { message: { messageId: 'm-twice', role: 'ROLE_USER', parts: [{ text: 'go' }] } },
      { path: '/a2a/agents/peer' },
    );
    const states = (await stream.collect()).flatMap(({ data }) =>
      data['statusUpdate'] === undefined ? [] : [stateOf(data['statusUpdate'] as JsonObject)],
    );
    expect(states.filter((state) => state === 'TASK_STATE_COMPLETED')).toHaveLength(1);
  });
});
