import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { TaskLog } from '../../src/tasks/index.js';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { Json, JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

const SECRET = 'the words of the client';

let hub: Hub;
let fine: ScriptedAgent;
let failing: ScriptedAgent;
let asking: ScriptedAgent;
let asksOnce: ScriptedAgent;
let silent: ScriptedAgent;
let busy: ScriptedAgent;
let release = (): void => undefined;

const answering = (state: string, text?: string): Promise<ScriptedAgent> =>
  ScriptedAgent.start({
    streaming: false,
    handlers: {
      SendMessage: (call) =>
        call.result({
          task: {
            id: 'theirs',
            contextId: 'c',
            status: {
              state: `TASK_STATE_${state}`,
              ...(text !== undefined && {
                message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }] },
              }),
            },
          },
        }),
    },
  });

beforeAll(async () => {
  const held = new Promise<void>((resolve) => (release = resolve));
  [hub, fine, failing, asking, asksOnce, busy, silent] = await Promise.all([
    startHub(),
    answering('COMPLETED'),
    answering('FAILED'),
    answering('INPUT_REQUIRED', 'a question of the agent'),
    ScriptedAgent.start({ live: { askAfter: 1 } }),
    ScriptedAgent.start({
      streaming: false,
      handlers: { SendMessage: (call) => call.send(503, 'too much to do', 'text/plain') },
    }),
    ScriptedAgent.start({
      streaming: false,
      handlers: { SendMessage: (call) => void held.then(() => call.send(500, '', 'text/plain')) },
    }),
  ]);
  await hub.registerAgent(fine.url, { id: 'fine', tags: ['both'] });
  await hub.registerAgent(failing.url, { id: 'failing' });
  await hub.registerAgent(asking.url, { id: 'asking' });
  await hub.registerAgent(asksOnce.url, { id: 'asks-once' });
  await hub.registerAgent(silent.url, { id: 'silent' });
  await hub.registerAgent(busy.url, { id: 'busy' });
});

afterAll(async () => {
  release();
  await hub?.close();
  await Promise.all([fine, failing, asking, asksOnce, silent, busy].map((each) => each?.close()));
});

const story = async (id: unknown, key?: string): Promise<Json> => {
  const { status, body } = await hub.admin(
    'GET',
    `/api/v1/tasks/${String(id)}/explain`,
    undefined,
    key,
  );
  expect(status).toBe(200);
  return body;
};
const textOf = ({ entries }: Json): string =>
  (entries as JsonObject[]).map(({ text }) => text).join('\n');
const sentTo = async (agentId: string, key?: string): Promise<JsonObject> =>
  await hub.submit(
    SECRET,
    { message: { metadata: { agentId } } },
    key === undefined ? {} : { key },
  );

describe('the story of a task', () => {
  it('says why an agent got it, when it took it and how it ended', async () => {
    const { id } = await sentTo('fine');
    await hub.waitForTask(String(id), 'TASK_STATE_COMPLETED');
    const told = await story(id);
    expect(told).toMatchObject({ taskId: id, waitsFor: null, hasMoreWebhooks: false });
    expect(told['hasPendingUpdates']).toBe(false);
    expect(told['summary']).toMatch(/^The task was completed after .+ by .+ \(fine\)\.$/);
    const text = textOf(told);
    expect(text).toContain('The client named the agent.');
    expect(text).toMatch(/The agent fine .*was chosen: /);
    expect(text).toMatch(/The message was sent to .+ \(fine\)/);
    expect(text).toMatch(/\(fine\) took it after /);
    expect(text).toMatch(/\(fine\) completed its part\./);
    expect(JSON.stringify(told)).not.toContain(SECRET);
    const times = (told['entries'] as JsonObject[]).map(({ at }) => Date.parse(String(at)));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('is of a task whose contents are not read, as are its details', async () => {
    const { id } = await sentTo('fine');
    await hub.waitForTask(String(id), 'TASK_STATE_COMPLETED');
    const read = jest.spyOn(hub.app.get(TaskLog, { strict: false }), 'read');
    await story(id);
    const { status, body } = await hub.admin('GET', `/api/v1/tasks/${String(id)}`);
    expect([status, body['id']]).toEqual([200, id]);
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
  });

  it('says why it failed', async () => {
    const { id } = await sentTo('failing');
    await hub.waitForTask(String(id), 'TASK_STATE_FAILED');
    const { summary, waitsFor } = await story(id);
    expect(summary).toMatch(/^The task failed after .+\(failing\) failed/);
    expect(waitsFor).toBeNull();
  });

  it('tells what the calls of agents failed with to operators alone', async () => {
    const key = await hub.createKey({
      organization: 'acme',
      scopes: ['a2a', 'tasks:organization'],
    });
    const { id } = await sentTo('busy', key);
    await hub.waitForTask(String(id), 'TASK_STATE_FAILED', 30_000, { key });
    expect(textOf(await story(id))).toMatch(/The call to the agent busy failed \(.*503\)/);
    expect(textOf(await story(id, key))).not.toContain('The call to the agent');
  });

  it('says what a task waits for: its client', async () => {
    const { id } = await sentTo('asking');
    await hub.waitForTask(String(id), 'TASK_STATE_INPUT_REQUIRED');
    const told = await story(id);
    expect(told['summary']).toMatch(/^The task is input-required, .+ after it began\.$/);
    expect(told['waitsFor']).toMatch(
      /\(asking\) has asked for more, .+ ago: the client has to send a further message .+ It fails at .+Z if/,
    );
    expect(JSON.stringify(told)).not.toContain('a question of the agent');
  });

  it('says how long a task waited for its client', async () => {
    const { id, contextId } = await sentTo('asks-once');
    await hub.waitForTask(String(id), 'TASK_STATE_INPUT_REQUIRED');
    expect((await story(id))['waitsFor']).toMatch(/\(asks-once\) has asked for more, .+ ago: /);
    await hub.submit('the answer', { message: { taskId: id, contextId } });
    await hub.waitForTask(String(id), 'TASK_STATE_COMPLETED');
    const told = await story(id);
    expect(told['summary']).toMatch(/ after .+ \(.+ of it waiting for the client\) by /);
    expect(textOf(told)).toMatch(
      /\(asks-once\) began to wait for input of the client\.\n(.+\n)*.+\(asks-once\) had waited for the client for .+s\./,
    );
  });

  it('says which task retries which, and who wanted it', async () => {
    const { id } = await sentTo('failing');
    await hub.waitForTask(String(id), 'TASK_STATE_FAILED');
    const { body } = await hub.admin('POST', `/api/v1/tasks/${String(id)}:retry`);
    const retry = String(body['id']);
    await hub.waitForTask(retry, 'TASK_STATE_FAILED');
    expect((await story(id))['summary']).toContain(` It was retried as the task ${retry}.`);
    expect(textOf(await story(retry))).toContain(
      `It retries the task ${String(id)}, at the request of the operator admin.`,
    );
    expect((await story(retry))['summary']).not.toContain('retried');
  });

  it('says what a task waits for: an answer of its agent, and why it was canceled then', async () => {
    const { id } = await sentTo('silent');
    await eventually(async () => {
      expect((await story(id))['waitsFor']).toMatch(
        /on its way to .+ \(silent\), for .+ The agent has .+ for it \(agents\.firstEvent\)/,
      );
    });
    const canceled = hub.admin('POST', `/api/v1/tasks/${String(id)}:cancel`, {
      reason: 'too slow',
    });
    await eventually(async () => {
      expect(textOf(await story(id))).toContain('Canceled by an operator: too slow');
    });
    release();
    await canceled;
    await eventually(async () => {
      expect((await story(id))['summary']).toMatch(/^The task was canceled after .+too slow/);
    });
  });

  it('tells how far its webhooks are, to those who may see them', async () => {
    const sink = await WebhookSink.start();
    const taskPushNotificationConfig = { id: 'mine', url: sink.url('/secret-path') };
    const { id } = await hub.submit('x', {
      message: { metadata: { agentId: 'fine' } },
      configuration: { taskPushNotificationConfig },
    });
    await eventually(async () => {
      expect(textOf(await story(id))).toMatch(
        /The webhook mine \(127\.0\.0\.1:\d+\) got [1-9]\d* updates?\./,
      );
    });
    expect(textOf(await story(id))).not.toContain('secret-path');
    const key = await hub.createKey({ scopes: ['tasks:all'] });
    expect(textOf(await story(id, key))).not.toContain('webhook');
    await hub.waitForTask(String(id), 'TASK_STATE_COMPLETED');
    await eventually(async () => expect((await story(id))['hasPendingUpdates']).toBe(false));
    sink.answer = 503;
    const next = await hub.submit('x', {
      message: { metadata: { agentId: 'fine' } },
      configuration: { taskPushNotificationConfig },
    });
    await eventually(async () => {
      const told = await story(next['id']);
      expect([told['hasPendingUpdates'], textOf(told)]).toEqual([
        true,
        expect.stringContaining('may still be to come; the next attempt is at '),
      ]);
    });
    expect((await story(next['id'], key))['hasPendingUpdates']).toBe(false);
    // What is disabled gets nothing any more, however much there is.
    sink.answer = 410;
    const last = await hub.submit('x', {
      message: { metadata: { agentId: 'fine' } },
      configuration: { taskPushNotificationConfig: { id: 'gone', url: sink.url('/gone') } },
    });
    await eventually(async () => {
      const told = await story(last['id']);
      expect([told['hasPendingUpdates'], textOf(told)]).toEqual([
        false,
        expect.stringContaining('The webhook is disabled'),
      ]);
    });
    await sink.close();
  });

  it('is told of no task of another organization, nor of one that there is not', async () => {
    const { id } = await sentTo('fine');
    const key = await hub.createKey({ organization: 'other', scopes: ['tasks:organization'] });
    for (const [of, by] of [
      [id, key],
      ['none', undefined],
    ]) {
      const path = `/api/v1/tasks/${String(of)}/explain`;
      expect((await hub.admin('GET', path, undefined, by as string)).status).toBe(404);
    }
  });
});
