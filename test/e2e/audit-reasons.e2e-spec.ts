import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROUTING_EXTENSION_URI } from '../../src/protocol/routing-extension.js';
import { END_CODES } from '../../src/tasks/task.js';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { Json, JsonObject } from '../support/json.js';
import { ScriptedAgent, type ScriptedCall } from '../support/scripted-agent.js';

/** What no entry may hold. */
const SECRET = 'the words of the agent';

const ended = (call: ScriptedCall, state: string): void => {
  const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: SECRET }] };
  call.result({ task: { id: call.text, contextId: 'c', status: { state, message } } });
};

/** What the agent does, by what it is told. */
const ANSWERS: Readonly<Record<string, (call: ScriptedCall) => void>> = {
  fail: (call) => ended(call, 'TASK_STATE_FAILED'),
  reject: (call) => ended(call, 'TASK_STATE_REJECTED'),
  give_up: (call) => ended(call, 'TASK_STATE_CANCELED'),
  complete: (call) => ended(call, 'TASK_STATE_COMPLETED'),
  ask: (call) => ended(call, 'TASK_STATE_INPUT_REQUIRED'),
  error: (call) => call.error(-32603, SECRET),
  refuse_key: (call) => call.send(401, SECRET, 'text/plain'),
  full: (call) => call.send(503, SECRET, 'text/plain'),
  garbage: (call) => call.send(200, SECRET, 'text/plain'),
  flood: (call) => call.result({ task: { id: 't', metadata: { all: Array(210_000).fill(0) } } }),
  cut: (call) => call.cut(),
  silence: () => undefined,
};

describe('the entry of a task that has not completed', () => {
  let hub: Hub;
  let agent: ScriptedAgent;
  let registered = 0;

  beforeAll(async () => {
    agent = await ScriptedAgent.start({
      streaming: false,
      handlers: { SendMessage: (call) => ANSWERS[call.text]?.(call) },
    });
    hub = await startHub();
  });
  afterAll(async () => {
    await hub?.close();
    await agent?.close();
  });

  /** Another agent each time: what one has done wrong is held against it. */
  const anAgent = async (fields: JsonObject = {}, url = agent.url): Promise<string> => {
    registered += 1;
    return hub.registerAgent(url, { id: `agent-${registered}`, ...fields });
  };

  const submit = async (text: string, options: JsonObject): Promise<string> => {
    const metadata = { [ROUTING_EXTENSION_URI]: options };
    return (await hub.submit(text, { message: { metadata } }))['id'] as string;
  };

  const entryOf = (taskId: string): Promise<Json> =>
    eventually(async () => {
      const query = `/api/v1/audit?action=tasks.end&resourceId=${taskId}`;
      const { items } = (await hub.admin('GET', query)).body;
      expect(items).toHaveLength(1);
      expect(JSON.stringify(items)).not.toContain(SECRET);
      return items[0];
    });

  /** The reason of the task, and those of its delegations. */
  const reasonsOf = async (taskId: string): Promise<unknown[]> => {
    const { details } = await entryOf(taskId);
    return [details.reason, ...details.delegations.map(({ reason }: Json) => reason)];
  };

  it.each([
    ['fail', 'AGENT_FAILED'],
    ['reject', 'AGENT_REJECTED'],
    ['give_up', 'AGENT_CANCELED'],
    ['error', 'AGENT_REFUSED'],
    ['refuse_key', 'CREDENTIALS_REFUSED'],
    ['full', 'AGENT_BUSY'],
    ['garbage', 'INVALID_AGENT_RESPONSE'],
    ['flood', 'RESPONSE_TOO_LARGE'],
    ['cut', 'OUTCOME_UNKNOWN'],
  ])('says by what the agent did (%s): %s', async (text, reason) => {
    const id = await submit(text, { agentId: await anAgent() });
    expect(await reasonsOf(id)).toEqual([reason, reason]);
  });

  it('says nothing of one that has completed', async () => {
    const id = await submit('complete', { agentId: await anAgent() });
    const { details } = await entryOf(id);
    expect(details).not.toHaveProperty('reason');
    expect(details.delegations[0]).not.toHaveProperty('reason');
  });

  it('says that the agent was not there', async () => {
    const other = await ScriptedAgent.start();
    const agentId = await anAgent({}, other.url);
    await other.close();
    const id = await submit('x', { agentId });
    expect(await reasonsOf(id)).toEqual(['AGENT_UNREACHABLE', 'AGENT_UNREACHABLE']);
  });

  it('says that the credentials for the agent could not be had', async () => {
    const dead = await ScriptedAgent.start();
    const tokenUrl = `${dead.url}/token`;
    await dead.close();
    const authentication = {
      type: 'oauth2-client-credentials',
      ...{ clientId: 'hub', clientSecret: 'secret', tokenUrl },
    };
    const id = await submit('complete', { agentId: await anAgent({ authentication }) });
    expect(await reasonsOf(id)).toEqual(['CREDENTIALS_MISSING', 'CREDENTIALS_MISSING']);
  });

  it('says whose time was over: the task, its agent or its client', async () => {
    const task = await submit('silence', { agentId: await anAgent(), deadlineSeconds: 1 });
    const slow = await anAgent({ budgets: { firstEventMs: 300 } });
    const answer = await submit('silence', { agentId: slow });
    const brief = await anAgent({ budgets: { totalMs: 1000 } });
    const client = await submit('ask', { agentId: brief });
    expect(await reasonsOf(task)).toEqual(['DEADLINE_EXCEEDED', 'DEADLINE_EXCEEDED']);
    expect(await reasonsOf(answer)).toEqual(['AGENT_TIMEOUT', 'AGENT_TIMEOUT']);
    expect(await reasonsOf(client)).toEqual(['CLIENT_TIMEOUT', 'CLIENT_TIMEOUT']);
  });

  it('says who has canceled it', async () => {
    const [own, operated, killed] = await Promise.all(
      [1, 2, 3].map(async () => {
        const agentId = await anAgent();
        const id = await submit('ask', { agentId });
        await hub.waitForTask(id, 'TASK_STATE_INPUT_REQUIRED');
        return { id, agentId };
      }),
    );
    await hub.rpc('CancelTask', { id: own!.id });
    const path = `/api/v1/tasks/${operated!.id}:cancel`;
    expect((await hub.admin('POST', path, { reason: SECRET })).status).toBe(200);
    expect((await hub.admin('POST', `/api/v1/agents/${killed!.agentId}:kill`)).status).toBe(200);
    expect(await reasonsOf(own!.id)).toEqual(['CANCELED_BY_CLIENT', 'CANCELED_BY_CLIENT']);
    expect(await reasonsOf(operated!.id)).toEqual(['CANCELED_BY_OPERATOR', 'CANCELED_BY_OPERATOR']);
    expect(await reasonsOf(killed!.id)).toEqual(['AGENT_KILLED', 'AGENT_KILLED']);
  });

  it('tells of several agents what each ended by, and which of that ended the task', async () => {
    const skills = [{ id: 's', tags: ['both'] }];
    const failing = await ScriptedAgent.start({
      ...{ skills, streaming: false },
      handlers: { SendMessage: (call) => ended(call, 'TASK_STATE_FAILED') },
    });
    const waiting = await ScriptedAgent.start({
      ...{ skills, streaming: false },
      handlers: { SendMessage: (call) => ended(call, 'TASK_STATE_INPUT_REQUIRED') },
    });
    await anAgent({ id: 'fails' }, failing.url);
    await anAgent({ id: 'waits' }, waiting.url);
    const id = await submit('x', { tags: ['both'], strategy: 'all', require: 'all' });
    const { details } = await entryOf(id);
    const reasons = details.delegations.map(({ agent, reason }: Json) => [agent, reason]);
    expect(details.reason).toBe('AGENT_FAILED');
    expect(Object.fromEntries(reasons)).toEqual({ fails: 'AGENT_FAILED', waits: 'STEP_FAILED' });
    await Promise.all([failing.close(), waiting.close()]);
  });

  it('has a word for each reason in the documentation, and no other', () => {
    const docs = readFileSync('docs/audit.md', 'utf8');
    const [, section = ''] = docs.split('## Why a task has not completed\n');
    const [table = ''] = section.split('\n## ');
    const named = [...table.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code);
    expect(named.sort()).toEqual([...END_CODES].sort());
  });
});
