import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';

const WEBHOOK = 'https://example.com/hook';
const UNKNOWN = '00000000-0000-7000-8000-000000000000';

let hub: Hub;
let agents: RunningAgent[];

beforeAll(async () => {
  hub = await startHub();
  agents = [];
  for (const name of ['echo', 'other']) {
    const agent = await startSdkAgent({
      name,
      execute: (turn) => {
        turn.task();
        if (turn.text === 'ask') turn.askForInput('Which one?');
        else turn.complete();
      },
    });
    agents.push(agent);
    await hub.registerAgent(agent.url, { id: name });
  }
});

afterAll(async () => {
  await hub?.close();
  await Promise.all((agents ?? []).map((agent) => agent.close()));
});

describe("a stranger's task at HTTP+JSON 0.3", () => {
  const PROTO = (taskId: string): string =>
    `{"message":{"messageId":"m","taskId":"${taskId}","role":"ROLE_USER","content":[{"text":"x"}]}}`;
  const JSON_FORM = (taskId: string): string =>
    `{"message":{"kind":"message","messageId":"m","taskId":"${taskId}","role":"user","parts":[{"kind":"text","text":"x"}]}}`;
  const HOOK =
    '{"name":"","pushNotificationConfig":{"id":"config","url":"https://example.com/hook"}}';

  /** Every route that names a task. */
  const CALLS: [method: string, path: string, body?: (id: string) => string][] = [
    ['POST', '/message:send', PROTO],
    ['POST', '/message:stream', PROTO],
    ['POST', '/message:send', JSON_FORM],
    ['POST', '/message:stream', JSON_FORM],
    ['GET', '/tasks/ID'],
    ['POST', '/tasks/ID:cancel'],
    ['POST', '/tasks/ID:cancel', (id) => `{"name":"tasks/${id}"}`],
    ['GET', '/tasks/ID:subscribe'],
    ['POST', '/tasks/ID:subscribe'],
    ['POST', '/tasks/ID/pushNotificationConfigs', () => HOOK],
    ['GET', '/tasks/ID/pushNotificationConfigs'],
    ['GET', '/tasks/ID/pushNotificationConfigs/config'],
    ['DELETE', '/tasks/ID/pushNotificationConfigs/config'],
  ];
  let stranger: string;
  let ended: string;
  let waiting: string;

  beforeAll(async () => {
    stranger = await hub.createKey({ name: 'stranger', organization: 'elsewhere' });
    ended = (await hub.send('hello', { metadata: { agentId: 'echo' } }))['task'].id;
    waiting = (await hub.send('ask', { metadata: { agentId: 'echo' } }))['task'].id;
    for (const taskId of [ended, waiting]) {
      await hub.rpc('CreateTaskPushNotificationConfig', { taskId, id: 'config', url: WEBHOOK });
    }
  });

  it.each(
    CALLS.flatMap(([method, path, body]) =>
      ['/a2a/v1', '/a2a/agents/echo/v1'].map(
        (prefix): [string, string, ((id: string) => string) | undefined] => [
          method,
          prefix + path,
          body,
        ],
      ),
    ),
  )('is, byte for byte, one that does not exist: %s %s', async (method, path, body) => {
    const answer = async (id: string): Promise<[number, string]> => {
      const options = { key: stranger, version: null };
      const { status, text } = await hub.rest(method, path.replace('ID', id), body?.(id), options);
      return [status, text];
    };
    const unknown = await answer(UNKNOWN);
    expect(unknown).toEqual([
      404,
      '{"code":-32001,"message":"Task not found","data":{"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}}',
    ]);
    expect(await answer(ended)).toEqual(unknown);
    expect(await answer(waiting)).toEqual(unknown);
  });

  it('is none at the door of another agent', async () => {
    for (const [method, path] of CALLS.filter(([, route]) => route.startsWith('/tasks'))) {
      const body = path.endsWith('Configs') && method === 'POST' ? HOOK : undefined;
      const url = `/a2a/agents/other/v1${path.replace('ID', waiting)}`;
      const { status } = await hub.rest(method, url, body, { version: null });
      expect([method, path, status]).toEqual([method, path, 404]);
    }
  });
});
