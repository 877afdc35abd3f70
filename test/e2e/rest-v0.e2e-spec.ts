import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Message, type Part, type Task, TaskState } from '@a2a-js/sdk';
import type { Transport } from '@a2a-js/sdk/client';
import { LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { type RunningAgent, textPart } from '../support/agents.js';
import type { Hub } from '../support/app.js';
import { fetchWith } from '../support/sdk-client.js';
import { type RestHub, UNKNOWN, WEBHOOK, startRestHub, taskOf } from './rest-harness.js';
import { restClientSuite, toEcho } from './rest-suite.js';

const BYTES = Buffer.from([0, 255, 128, 10]);

let rest: RestHub;
let hub: Hub;
let agents: readonly RunningAgent[];

beforeAll(async () => {
  rest = await startRestHub('echo', 'other');
  ({ hub, agents } = rest);
});

afterAll(() => rest.close());

describe.each(['/a2a', '/a2a/agents/echo'])("the SDK's REST client of 0.3 at %s", (path) => {
  let client: Transport;

  beforeAll(async () => {
    const fetchImpl = fetchWith(`Bearer ${await hub.key()}`);
    client = new LegacyRestTransport({ endpoint: hub.url + path, fetchImpl });
  });

  const send = async (text: string, more: Partial<Message> = {}): Promise<Task> =>
    taskOf(await client.sendMessage(toEcho(text, more)));

  restClientSuite(() => client);

  it('sends and waits, and gets what it was given', async () => {
    const task = await send('this');
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(task.artifacts[0]!.parts[0]!.content).toEqual({ $case: 'text', value: 'echo of this' });
    expect(await client.getTask({ tenant: '', id: task.id })).toEqual(task);
    const bare = await client.getTask({ tenant: '', id: task.id, historyLength: 0 });
    expect([task.history.length, bare.history.length]).toEqual([1, 0]);
  });

  it('carries files and data there and back', async () => {
    const parts: Part[] = [
      textPart('parts'),
      file({ $case: 'raw', value: BYTES }, 'application/octet-stream'),
      file({ $case: 'url', value: 'https://example.com/a.png' }, 'image/png'),
      file({ $case: 'data', value: { list: [1, { deep: null }] } }, ''),
    ];
    const task = await send('parts', { parts });
    const contents = task.artifacts[0]!.parts.map(({ content }) => content);
    expect(contents[1]).toEqual({ $case: 'raw', value: BYTES });
    expect(contents.slice(2)).toEqual(parts.slice(2).map(({ content }) => content));
    expect(task.artifacts[0]!.parts[2]!.mediaType).toBe('image/png');
    const atAgent = agents[0]!.turns.at(-1)!.message.parts.map(({ content }) => content);
    expect(atAgent[1]).toEqual({ $case: 'raw', value: BYTES });
  });

  it('keeps push configs', async () => {
    const { id: taskId } = await send('this');
    const config = {
      tenant: '',
      id: 'p-1',
      taskId,
      url: WEBHOOK,
      token: '',
      authentication: { scheme: 'Bearer', credentials: 'secret' },
    };
    const set = await client.createTaskPushNotificationConfig(config);
    expect(set).toMatchObject({ id: 'p-1', taskId, url: WEBHOOK });
    expect(JSON.stringify(set)).not.toContain('secret');
    expect(await client.getTaskPushNotificationConfig({ tenant: '', id: 'p-1', taskId })).toEqual(
      set,
    );
    const list = { tenant: '', taskId, pageSize: 0, pageToken: '' };
    expect((await client.listTaskPushNotificationConfig(list)).configs).toEqual([set]);
    await client.deleteTaskPushNotificationConfig({ tenant: '', id: 'p-1', taskId });
    expect((await client.listTaskPushNotificationConfig(list)).configs).toEqual([]);
  });

  it('is told of errors by their class', async () => {
    const { id } = await send('this');
    const errors = [
      client.getTask({ tenant: '', id: UNKNOWN }),
      client.cancelTask({ tenant: '', id, metadata: undefined }),
      client.resubscribeTask({ tenant: '', id: UNKNOWN }).next(),
      client.sendMessage(toEcho('more', { taskId: id })),
    ].map((refused) =>
      refused.then(
        () => 'no error',
        (error: Error) => error.name,
      ),
    );
    expect(await Promise.all(errors)).toEqual([
      'TaskNotFoundError',
      'TaskNotCancelableError',
      'TaskNotFoundError',
      'UnsupportedOperationError',
    ]);
  });

  it('reads the extended card', async () => {
    const card = await client.getExtendedAgentCard({ tenant: '' });
    expect(Object.keys(card.securitySchemes)).toContain('bearer');
    expect(card.skills.length).toBeGreaterThan(0);
  });
});

function file(content: Part['content'], mediaType: string): Part {
  return { content, metadata: undefined, filename: '', mediaType };
}
