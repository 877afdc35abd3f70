import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent, type ScriptedAgentOptions } from '../support/scripted-agent.js';

const DOWNSTREAM = 'downstream-secret-id-4711';
const WORKING = {
  task: { id: DOWNSTREAM, contextId: 'c-4711', status: { state: 'TASK_STATE_WORKING' } },
};

let hub: Hub;
const agents: ScriptedAgent[] = [];

beforeEach(async () => {
  hub = await startHub();
});

afterEach(async () => {
  await hub.close();
  for (const agent of agents.splice(0)) await agent.close();
});

async function register(id: string, handlers: ScriptedAgentOptions['handlers'] = {}) {
  const agent = await ScriptedAgent.start({ handlers });
  agents.push(agent);
  await hub.registerAgent(agent.url, { id });
  return agent;
}

const to = (id: string) => ({ message: { metadata: { agentId: id } } });

function told(task: JsonObject): string {
  const { message } = task['status'] as { message?: { parts: { text: string }[] } };
  return message?.parts.map(({ text }) => text).join('') ?? '';
}

/** The status text, after a look at all that the client can see of the task and at every event. */
async function seen(task: JsonObject, secrets: readonly string[]): Promise<string> {
  const id = String(task['id']);
  const scopes = ['tasks:organization'];
  const key = await hub.createKey({ organization: 'tests', scopes });
  const detail = await hub.admin('GET', `/api/v1/tasks/${id}`, undefined, key);
  expect(detail.status).toBe(200);
  const all = JSON.stringify([task, await hub.getTask(id), detail.body]);
  for (const secret of secrets) expect(all).not.toContain(secret);
  return told(task);
}

describe('what clients learn of a failing agent', () => {
  it('is not its task id, when it refuses a cancel', async () => {
    await register('agent', {
      SendStreamingMessage: (call) => void call.event(WORKING),
      CancelTask: (call) => call.error(-32002, `Task cannot be canceled: ${DOWNSTREAM}`),
      GetTask: (call) => call.error(-32001, `Task not found: ${DOWNSTREAM}`),
    });
    const { id } = await hub.submit('x', to('agent'));
    await hub.waitForTask(String(id), 'TASK_STATE_WORKING');
    const canceled = (await hub.rpc('CancelTask', { id })) as JsonObject;
    expect(await seen(canceled, [DOWNSTREAM, 'c-4711'])).toMatch(
      /did not take the cancel: it refused the request \(the task cannot be canceled, -32002\); canceled at the hub/,
    );
  });

  it('is not its task id, when it forgets its task', async () => {
    await register('agent', {
      SendStreamingMessage: (call) => void call.event(WORKING).end(),
      SubscribeToTask: (call) => call.error(-32004, `no ${DOWNSTREAM}`),
      GetTask: (call) => call.error(-32001, `Task not found: ${DOWNSTREAM}`),
    });
    const { task } = (await hub.send('x', to('agent'))) as { task: JsonObject };
    expect(await seen(task, [DOWNSTREAM])).toMatch(/does not know its task any more\.$/);
  });

  it('is not its task id, when it answers polls with errors', async () => {
    await register('agent', {
      SendStreamingMessage: (call) => void call.event(WORKING).end(),
      SubscribeToTask: (call) => call.error(-32004, `no ${DOWNSTREAM}`),
      GetTask: (call) => call.error(-32603, `db row ${DOWNSTREAM} is locked`),
    });
    const { task } = (await hub.send('x', to('agent'))) as { task: JsonObject };
    expect(await seen(task, [DOWNSTREAM, 'locked'])).toMatch(
      /was asked 3 times: it refused the request \(internal error, -32603\)\.$/,
    );
  });

  it('is not its address, when it is away', async () => {
    const agent = await register('agent');
    const { port } = agent;
    await agent.close();
    const { task } = (await hub.send('x', to('agent'))) as { task: JsonObject };
    expect(await seen(task, [String(port), '127.0.0.1', 'ECONNREFUSED'])).toMatch(
      /could not be reached\.$/,
    );
  });

  it('is not the body of its HTTP error', async () => {
    await register('agent', {
      SendStreamingMessage: (call) =>
        call.send(500, 'panic at postgres-host.internal:5432', 'text/plain'),
    });
    const { task } = (await hub.send('x', to('agent'))) as { task: JsonObject };
    expect(await seen(task, ['postgres-host', 'panic'])).toMatch(/answered HTTP 500\.$/);
  });

  it('is not what its unreadable answer said', async () => {
    await register('agent', {
      SendStreamingMessage: (call) => call.send(200, `<html>${DOWNSTREAM}</html>`, 'text/html'),
    });
    const { task } = (await hub.send('x', to('agent'))) as { task: JsonObject };
    expect(await seen(task, [DOWNSTREAM, 'html'])).toMatch(
      /^InvalidAgentResponse: .* gave an answer that is not A2A\.$/,
    );
  });

  it('is kept for operators with admin: what exactly was wrong', async () => {
    await register('agent', {
      SendStreamingMessage: (call) => call.send(500, 'panic at disk.internal', 'text/plain'),
    });
    const { task } = (await hub.send('x', to('agent'))) as { task: JsonObject };
    const path = `/api/v1/tasks/${String(task['id'])}`;
    const { body } = await hub.admin('GET', path);
    expect(body.delegations[0].trouble).toMatchObject({
      agentId: 'agent',
      httpStatus: 500,
      text: expect.stringContaining('panic at disk.internal'),
    });
    const scopes = ['tasks:organization'];
    const key = await hub.createKey({ organization: 'tests', scopes });
    const seen = await hub.admin('GET', path, undefined, key);
    expect(seen).toMatchObject({ status: 200, body: { delegations: [{ trouble: null }] } });
    expect(seen.text).not.toContain('panic');
  });

  it('is what it says in the status of its task', async () => {
    await register('agent', {
      SendStreamingMessage: (call) => {
        const parts = [{ text: 'out of paper' }];
        const message = { messageId: 'm', role: 'ROLE_AGENT', parts };
        const status = { state: 'TASK_STATE_FAILED', message };
        call.event({ task: { ...WORKING.task, status } }).end();
      },
    });
    const { task } = (await hub.send('x', to('agent'))) as { task: JsonObject };
    expect(await seen(task, [DOWNSTREAM])).toContain('out of paper');
  });
});
