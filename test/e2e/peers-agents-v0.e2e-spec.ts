import { describe, expect, it } from '@jest/globals';
import { artifactTexts } from '../support/builders.js';
import type { JsonObject } from '../support/json.js';
import { PeerAgents } from '../support/peer-agents.js';
import { ScriptedAgent, type ScriptedHandler } from '../support/scripted-agent.js';

const peers = new PeerAgents();

/** An agent of JSON-RPC 0.3 at its root that answers by these handlers. */
async function agentOf(
  id: string,
  handlers: Record<string, ScriptedHandler>,
  streaming = true,
): Promise<{ agent: ScriptedAgent; path: string }> {
  const card: JsonObject = { supportedInterfaces: undefined, protocolVersion: '0.3.0' };
  const agent = await ScriptedAgent.start({ card, streaming, handlers });
  Object.assign(card, { url: `${agent.url}/`, preferredTransport: 'JSONRPC' });
  await peers.register(agent.url, id, () => agent.close());
  return { agent, path: `/a2a/agents/${id}` };
}

const IDS = { taskId: 't', contextId: 'c' };
const task = (state: string, more: JsonObject = {}): JsonObject => ({
  kind: 'task',
  id: 't',
  contextId: 'c',
  status: { state },
  ...more,
});
const status = (state: string, final = false): JsonObject => ({
  kind: 'status-update',
  ...IDS,
  status: { state },
  final,
});
const chunk = (text: string, append = true): JsonObject => ({
  kind: 'artifact-update',
  ...IDS,
  append,
  artifact: { artifactId: 'a', parts: [{ kind: 'text', text }] },
});

describe('agents: a2a-sdk 0.2 and 0.3', () => {
  it('0.2 ignores blocking: false and answers when it is done', async () => {
    const done = task('completed', {
      artifacts: [{ artifactId: 'a', parts: [{ kind: 'text', text: 'all of it' }] }],
    });
    const { agent, path } = await agentOf(
      'py',
      { 'message/send': (call) => call.result(done) },
      false,
    );
    const answer = await peers.hub.send('go', {}, { path });
    expect(artifactTexts(answer['task'] as JsonObject)).toEqual(['all of it']);
    expect(agent.calls[0]!.params['configuration']).toMatchObject({ blocking: false });
  });

  it('after a cancel the open stream says nothing and never ends; the hub ends its own', async () => {
    const { path } = await agentOf('py', {
      'message/stream': (call) => void call.event(task('submitted')).event(status('working')),
      'tasks/cancel': (call) => call.result(task('canceled')),
    });
    const { id } = await peers.hub.submit('go', {}, { path });
    await peers.hub.waitForTask(id as string, 'TASK_STATE_WORKING');
    const stream = await peers.hub.stream('tasks/resubscribe', { id }, { version: null });
    await stream.next();
    await peers.hub.rpc('CancelTask', { id });
    const events = await stream.collect();
    expect(events.at(-1)?.data).toMatchObject({ final: true, status: { state: 'canceled' } });
  });

  it('a second subscriber doubles the stored chunks, so after a cut the hub is none', async () => {
    const stored = [chunk('chunk-1', false), chunk('chunk-2')].map(({ artifact }) => artifact);
    const { agent, path } = await agentOf('py', {
      'message/stream': (call) => {
        call.event(task('submitted')).event(chunk('chunk-1', false));
        setImmediate(() => call.cut());
      },
      'tasks/get': (call) =>
        call.result(
          task('completed', {
            artifacts: [
              {
                artifactId: 'a',
                parts: (stored as JsonObject[]).flatMap(({ parts }) => parts as JsonObject[]),
              },
            ],
          }),
        ),
      'tasks/resubscribe': (call) => call.error(-32603, 'would double the chunks'),
    });
    const answer = await peers.hub.send('go', {}, { path });
    expect(artifactTexts(answer['task'] as JsonObject)).toEqual(['chunk-1', 'chunk-2']);
    expect(agent.callsOf('tasks/resubscribe')).toEqual([]);
  });
});

describe('agents: a2a-go 0.3', () => {
  it('answers JSON-RPC as text/plain', async () => {
    const { path } = await agentOf(
      'go',
      {
        'message/send': (call) =>
          call.send(
            200,
            JSON.stringify({ jsonrpc: '2.0', id: call.id, result: task('completed') }),
            'text/plain; charset=utf-8',
          ),
      },
      false,
    );
    const answer = await peers.hub.send('go', {}, { path });
    expect(answer['task'].status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('may begin a stream with a status update instead of the task', async () => {
    const { path } = await agentOf('go', {
      'message/stream': (call) => {
        call.event(status('submitted')).event(chunk('one', false)).event(status('completed', true));
        call.end();
      },
    });
    const stream = await peers.hub.stream('SendStreamingMessage', message('go'), { path });
    const events = await stream.collect();
    expect(Object.keys(events[0]!.data)).toEqual(['task']);
    expect(events.at(-1)!.data['statusUpdate'].status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('agents: a2a-java 0.3', () => {
  it('is at / only and refuses what has no JSON content type', async () => {
    const refused: string[] = [];
    const { agent, path } = await agentOf('java', {
      'message/stream': (call) => {
        if (call.headers['content-type'] !== 'application/json') refused.push('content-type');
        if (typeof call.id !== 'string' && typeof call.id !== 'number') refused.push('id');
        // Its data line comes before its id line, and ids begin at 0 with each stream.
        let seq = 0;
        const write = (result: JsonObject): unknown =>
          call.write(
            `data:${JSON.stringify({ jsonrpc: '2.0', id: call.id, result })}\nid:${seq++}\n\n`,
          );
        write(task('submitted'));
        write(chunk('one', false));
        write(status('completed', true));
        call.end();
      },
    });
    const answer = await peers.hub.send('go', {}, { path });
    expect(artifactTexts(answer['task'] as JsonObject)).toEqual(['one']);
    expect(refused).toEqual([]);
    expect(agent.calls).toHaveLength(1);
  });

  it('sometimes sends the first chunk last: all are kept, and the task is whole', async () => {
    const { path } = await agentOf('java', {
      'message/stream': (call) => {
        call.event(task('submitted'));
        for (const n of [2, 3, 4, 5]) call.event(chunk(`chunk-${n}`));
        call.event(chunk('chunk-1', true)).event(status('completed', true));
        call.end();
      },
    });
    const answer = await peers.hub.send('go', {}, { path });
    expect(artifactTexts(answer['task'] as JsonObject).toSorted()).toEqual(
      [1, 2, 3, 4, 5].map((n) => `chunk-${n}`),
    );
    expect(answer['task'].status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('gives up waiting and returns the working task: the hub asks on', async () => {
    const { agent, path } = await agentOf(
      'java',
      {
        'message/send': (call) => call.result(task('working')),
        'tasks/get': (call) =>
          call.result(task(agent.callsOf('tasks/get').length < 3 ? 'working' : 'completed')),
      },
      false,
    );
    const answer = await peers.hub.send('go', {}, { path });
    expect(answer['task'].status.state).toBe('TASK_STATE_COMPLETED');
  });
});

function message(text: string): JsonObject {
  return { message: { messageId: `m-${text}`, role: 'ROLE_USER', parts: [{ text }] } };
}
