import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { legacyUserMessage, userMessage } from '../support/builders.js';
import type { Json } from '../support/json.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const WEBHOOK = 'https://example.com/hook';

/** Every operation on a task by its id, in both versions. */
const CALLS: [version: string, method: string, params: (id: string) => Json][] = [
  ['1.0', 'GetTask', (id) => ({ id })],
  ['1.0', 'CancelTask', (id) => ({ id })],
  ['1.0', 'SubscribeToTask', (id) => ({ id })],
  ['1.0', 'SendMessage', (taskId) => ({ message: userMessage('x', { taskId, messageId: 'm' }) })],
  [
    '1.0',
    'SendStreamingMessage',
    (taskId) => ({ message: userMessage('x', { taskId, messageId: 'm' }) }),
  ],
  [
    '1.0',
    'SendMessage',
    (id) => ({ message: userMessage('x', { referenceTaskIds: [id], messageId: 'm' }) }),
  ],
  ['1.0', 'CreateTaskPushNotificationConfig', (taskId) => ({ taskId, url: WEBHOOK })],
  ['1.0', 'GetTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'config' })],
  ['1.0', 'ListTaskPushNotificationConfigs', (taskId) => ({ taskId })],
  ['1.0', 'DeleteTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'config' })],
  ['0.3', 'tasks/get', (id) => ({ id })],
  ['0.3', 'tasks/cancel', (id) => ({ id })],
  ['0.3', 'tasks/resubscribe', (id) => ({ id })],
  [
    '0.3',
    'message/send',
    (taskId) => ({ message: legacyUserMessage('x', { taskId, messageId: 'm' }) }),
  ],
  [
    '0.3',
    'message/stream',
    (taskId) => ({ message: legacyUserMessage('x', { taskId, messageId: 'm' }) }),
  ],
  [
    '0.3',
    'tasks/pushNotificationConfig/set',
    (taskId) => ({ taskId, pushNotificationConfig: { id: 'config', url: WEBHOOK } }),
  ],
  ['0.3', 'tasks/pushNotificationConfig/get', (id) => ({ id })],
  ['0.3', 'tasks/pushNotificationConfig/list', (id) => ({ id })],
  [
    '0.3',
    'tasks/pushNotificationConfig/delete',
    (id) => ({ id, pushNotificationConfigId: 'config' }),
  ],
];

describe("a stranger's task", () => {
  let hub: Hub;
  let agent: RunningAgent;
  let stranger: string;
  /** Of somebody else: one that has ended and one that waits for its client. */
  let ended: string;
  let waiting: string;

  beforeAll(async () => {
    hub = await startHub();
    agent = await startSdkAgent({
      execute: (turn) => {
        turn.task();
        if (turn.text === 'ask') turn.askForInput('What?');
        else turn.complete();
      },
    });
    await hub.registerAgent(agent.url, { id: 'echo' });
    stranger = await hub.createKey({ name: 'stranger', organization: 'elsewhere' });
    ended = (await hub.send('hello', { metadata: { agentId: 'echo' } }))['task'].id;
    waiting = (await hub.send('ask', { metadata: { agentId: 'echo' } }))['task'].id;
    for (const taskId of [ended, waiting]) {
      await hub.rpc('CreateTaskPushNotificationConfig', { taskId, id: 'config', url: WEBHOOK });
    }
  });

  afterAll(async () => {
    await hub?.close();
    await agent?.close();
  });

  it.each(CALLS)(
    'is, byte for byte, one that does not exist: %s %s',
    async (version, method, params) => {
      const answer = async (id: string): Promise<[number, string]> => {
        const { status, text } = await hub.rpcRaw(method, params(id), { key: stranger, version });
        return [status, text];
      };
      const unknown = await answer(UNKNOWN);
      expect(JSON.parse(unknown[1])).toMatchObject({
        id: 1,
        error: { code: -32001, message: 'Task not found' },
      });
      expect(await answer(ended)).toEqual(unknown);
      expect(await answer(waiting)).toEqual(unknown);
    },
  );

  it.each(CALLS.filter(([, , params]) => !('message' in params('x'))))(
    'is none at the binding of another agent: %s %s',
    async (version, method, params) => {
      const other = { version, path: '/a2a/agents/other' };
      const known = await hub.rpcRaw(method, params(waiting), other);
      const unknown = await hub.rpcRaw(method, params(UNKNOWN), other);
      expect(known.body).toMatchObject({ error: { code: -32001 } });
      expect(known.text).toBe(unknown.text);
    },
  );

  it('is in no list of a stranger', async () => {
    const list = await hub.rpc('ListTasks', {}, { key: stranger });
    expect(list).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
  });

  it('is still as it was', async () => {
    expect((await hub.getTask(waiting))['status'].state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect((await hub.getTask(ended))['status'].state).toBe('TASK_STATE_COMPLETED');
    const { configs } = await hub.rpc('ListTaskPushNotificationConfigs', { taskId: waiting });
    expect(configs).toHaveLength(1);
  });
});
