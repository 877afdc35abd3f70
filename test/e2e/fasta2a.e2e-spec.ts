import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TaskState } from '@a2a-js/sdk';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type HttpAnswer, type Hub, startHub, stateOf } from '../support/app.js';
import { Fasta2aAgent } from '../support/fasta2a.js';
import { fasta2aRequests, faultsForFasta2a } from '../support/fasta2a-client.js';
import type { Json, JsonObject } from '../support/json.js';

let hub: Hub;
let agent: Fasta2aAgent;
let agentId: string;

beforeAll(async () => {
  const config = { agents: { cancelWaitMs: 300 } };
  [hub, agent] = await Promise.all([startHub({ config }), Fasta2aAgent.start()]);
  agentId = await hub.registerAgent(agent.url);
});

afterAll(async () => {
  await Promise.all([hub.close(), agent.close()]);
});

it('registers an agent of A2A 0.2.5 from its agent.json', async () => {
  const { body } = await hub.admin('GET', `/api/v1/agents/${agentId}`);
  expect(body.endpoint).toMatchObject({ protocolBinding: 'JSONRPC', protocolVersion: '0.3' });
});

it('shows a card that the library can read at agent.json', async () => {
  const { status, body } = await hub.get('/.well-known/agent.json', { key: null, version: null });
  expect(status).toBe(200);
  for (const member of [
    'name',
    'description',
    'url',
    'version',
    'protocolVersion',
    'capabilities',
  ]) {
    expect(body).toHaveProperty(member);
  }
  expect(body.defaultInputModes).toBeInstanceOf(Array);
  expect(body.defaultOutputModes).toBeInstanceOf(Array);
  expect(body.skills).not.toHaveLength(0);
  for (const skill of body.skills as JsonObject[]) {
    expect(skill.inputModes).toBeInstanceOf(Array);
    expect(skill.outputModes).toBeInstanceOf(Array);
  }
});

describe.each(['/', '/a2a/'])('the client of fasta2a 0.5 on %s', (path) => {
  const call = async (body: JsonObject): Promise<Json> => {
    const answer: HttpAnswer = await hub.post(path, JSON.stringify(body), { version: null });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toContain('application/json');
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: body.id });
    return answer.body;
  };

  const until = async (id: string, state: string): Promise<JsonObject> => {
    for (let look = 0; look < 200; look++) {
      const { result } = await call(fasta2aRequests.get(id));
      if (result.status.state === state) return result as JsonObject;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`the task did not become ${state}`);
  };

  it('sends, and gets the task with a null request id', async () => {
    const { result } = await call(fasta2aRequests.send('hello'));
    expect(faultsForFasta2a(result as JsonObject)).toEqual([]);
    const task = await until(String(result.id), 'completed');
    expect(faultsForFasta2a(task)).toEqual([]);
    expect(task.artifacts).toMatchObject([{ name: 'result', parts: [{ text: 'HELLO' }] }]);
  });

  it('sends without blocking and polls', async () => {
    const configuration = { acceptedOutputModes: [], blocking: false };
    const { result } = await call(fasta2aRequests.send('poll me', { configuration }));
    expect(['submitted', 'working']).toContain(result.status.state);
    const task = await until(String(result.id), 'completed');
    expect(task.artifacts).toMatchObject([{ parts: [{ text: 'POLL ME' }] }]);
  });

  it('keeps the context over two messages, at the agent too', async () => {
    const { result: first } = await call(fasta2aRequests.send('one'));
    const contextId = String(first.contextId);
    const { result: second } = await call(fasta2aRequests.send('two', {}, { contextId }));
    expect(second.contextId).toBe(contextId);
    expect(second.id).not.toBe(first.id);
    const sent = agent.calls.filter(({ method }) => method === 'message/send').slice(-2);
    expect(sent[1]!.params.message.contextId).toBeDefined();
    await until(String(second.id), 'completed');
  });

  it('answers an unknown task with exactly the text the client checks', async () => {
    const { error } = await call(fasta2aRequests.get('no-such-task'));
    expect(error).toMatchObject({ code: -32001, message: 'Task not found' });
  });

  it('cancels a running task, and not an unknown one', async () => {
    const configuration = { acceptedOutputModes: [], blocking: false };
    const { result } = await call(fasta2aRequests.send('slow', { configuration }));
    await until(String(result.id), 'working');
    const canceled = await call(fasta2aRequests.cancel(String(result.id)));
    expect(faultsForFasta2a(canceled.result as JsonObject)).toEqual([]);
    await until(String(result.id), 'canceled');
    expect(agent.calls.at(-1)).toBeDefined();
    expect(agent.calls.some(({ method }) => method === 'tasks/cancel')).toBe(true);
    const unknown = await call(fasta2aRequests.cancel('no-such-task'));
    expect(unknown.error).toMatchObject({ code: -32001, message: 'Task not found' });
  });
});

describe('an agent of fasta2a 0.5', () => {
  const send = async (text: string, message: JsonObject = {}): Promise<JsonObject> =>
    (await hub.send(text, { message }, { path: `/a2a/agents/${agentId}` }))['task'] as JsonObject;

  it('opens a new task for every message: the hub follows it and keeps its own', async () => {
    const requested = await send('ask');
    const { id: taskId, contextId } = requested;
    const before = agent.newest;
    const done = await send('the left one', { taskId, contextId });
    expect(done).toMatchObject({ id: taskId, contextId });
    expect(stateOf(done)).toBe('TASK_STATE_COMPLETED');
    expect(done['artifacts']).toMatchObject([{ parts: [{ text: 'THE LEFT ONE' }] }]);
    expect(agent.newest['id']).not.toBe(before['id']);
    expect(agent.newest['contextId']).toBe(before['contextId']);
  });

  it('keeps its question in the history only: the client finds it in the status', async () => {
    const requested = await send('ask');
    expect(stateOf(requested)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(requested['status'].message).toMatchObject({
      role: 'ROLE_AGENT',
      parts: [{ text: 'Which one?' }],
    });
  });

  it('writes a whole answer in snake_case when a part has a key it does not know', async () => {
    const done = await send('snake');
    expect(done['artifacts']).toMatchObject([{ name: 'result', parts: [{ text: 'SNAKE' }] }]);
  });

  it('answers 500 in plain text: the task fails and says no more than that', async () => {
    const failed = await send('crash');
    expect(stateOf(failed)).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(failed)).not.toContain('Internal Server Error');
  });

  it('is sent 0.x parts, and what it gives back is as it was', async () => {
    const parts = [
      { raw: 'aGVsbG8=', mediaType: 'text/plain', filename: 'a.txt' },
      { url: 'https://example.com/a.png', mediaType: 'image/png' },
      { data: { deep: [1, { two: null }] } },
      { data: [1, 'two'] },
    ];
    const done = await send('', { parts });
    const { parts: sent } = agent.calls.findLast(({ method }) => method === 'message/send')!.params
      .message as JsonObject;
    expect(sent).toMatchObject([
      { kind: 'file', file: { bytes: 'aGVsbG8=', mimeType: 'text/plain', name: 'a.txt' } },
      { kind: 'file', file: { uri: 'https://example.com/a.png', mimeType: 'image/png' } },
      { kind: 'data', data: { deep: [1, { two: null }] } },
      { kind: 'data', data: { value: [1, 'two'] } },
    ]);
    expect(done['artifacts'][0].parts).toMatchObject(parts);
  });

  it('hangs on a cancel while its task runs: the wait is bounded, and what was seen first stays', async () => {
    const { id } = await hub.submit('slow', {}, { path: `/a2a/agents/${agentId}` });
    await hub.waitForTask(id as string, 'TASK_STATE_WORKING');
    agent.busy = true;
    const canceled = (await hub.rpc('CancelTask', { id })) as JsonObject;
    expect(stateOf(canceled)).toBe('TASK_STATE_CANCELED');
    agent.finish();
    expect(await hub.getTask(id as string)).toEqual(canceled);
  });
});

describe('the client of fasta2a 0.5 with an agent of 1.0', () => {
  let modern: RunningAgent;
  beforeAll(async () => {
    modern = await startSdkAgent({
      skills: [{ id: 'hand-back', tags: ['modern'] }],
      execute: (turn) => {
        if (turn.text === 'reply') return void turn.reply('just a message');
        if (turn.text === 'refuse')
          return void turn.task().status(TaskState.TASK_STATE_REJECTED, 'No.');
        if (turn.text === 'log in')
          return void turn.task().status(TaskState.TASK_STATE_AUTH_REQUIRED, 'Log in.');
        if (turn.text === 'ask') return void turn.task().askForInput('Which one?');
        turn.task().working().artifactOf('back', turn.message.parts, { 'x-origin': 'agent' });
        turn.complete('Done.');
      },
    });
    await hub.registerAgent(modern.url, { id: 'modern' });
  });
  afterAll(() => modern.close());

  const send = async (parts: JsonObject[], message: JsonObject = {}): Promise<JsonObject> => {
    const more = { metadata: { agentId: 'modern' } };
    const request = fasta2aRequests.send('', more, { parts, ...message });
    const answer = await hub.post('/a2a/', JSON.stringify(request), { version: null });
    return answer.body.result as JsonObject;
  };
  const text = (words: string): JsonObject[] => [{ kind: 'text', text: words }];

  it('reads parts of every kind as it sent them', async () => {
    const parts = [
      { kind: 'text', text: 'hello' },
      { kind: 'file', file: { bytes: 'aGVsbG8=', mimeType: 'text/plain', name: 'a.txt' } },
      { kind: 'file', file: { uri: 'https://example.com/a.png', mimeType: 'image/png' } },
      { kind: 'data', data: { deep: [1, { two: null }] }, metadata: { 'x-part': true } },
    ];
    const task = await send(parts);
    expect(faultsForFasta2a(task)).toEqual([]);
    expect(task['artifacts']).toMatchObject([{ parts, metadata: { 'x-origin': 'agent' } }]);
    expect(task['history'][0]).toMatchObject({ role: 'user', kind: 'message', parts });
    expect(task['status']).toMatchObject({
      state: 'completed',
      message: { kind: 'message', role: 'agent', parts: text('Done.') },
      timestamp: expect.stringMatching(/\.\d{3}Z$/),
    });
  });

  it.each([
    ['ask', 'input-required'],
    ['log in', 'auth-required'],
    ['refuse', 'rejected'],
  ])('reads the state of "%s" as %s', async (words, state) => {
    const task = await send(text(words));
    expect(faultsForFasta2a(task)).toEqual([]);
    expect(task['status'].state).toBe(state);
  });

  it('gets a message for a message', async () => {
    expect(await send(text('reply'))).toMatchObject({
      kind: 'message',
      role: 'agent',
      messageId: expect.any(String),
      parts: text('just a message'),
    });
  });

  it('answers a question on its task', async () => {
    const { id: taskId, contextId } = await send(text('ask'));
    const done = await send(text('the left one'), { taskId, contextId });
    expect(done).toMatchObject({ id: taskId, contextId, status: { state: 'completed' } });
  });
});
