import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HttpAnswer, type Hub, startHub } from '../support/app.js';
import { Fasta2aAgent, faultsForFasta2a, fasta2aRequests } from '../support/fasta2a.js';
import type { Json, JsonObject } from '../support/json.js';

let hub: Hub;
let agent: Fasta2aAgent;
let agentId: string;

beforeAll(async () => {
  [hub, agent] = await Promise.all([startHub(), Fasta2aAgent.start()]);
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
