import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Message, type Part, type Task, TaskState } from '@a2a-js/sdk';
import type { Transport } from '@a2a-js/sdk/client';
import { LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { type AgentTurn, type RunningAgent, startSdkAgent, textPart } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { collect, kindsOf, sdkRequest } from '../support/sdk-client.js';

const WEBHOOK = 'https://example.com/hook';
const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const BYTES = Buffer.from([0, 255, 128, 10]);

/** What the agents of this file do, by the message's text. */
async function behave(turn: AgentTurn): Promise<void> {
  if (turn.text === 'reply') {
    turn.reply('just a message');
    return;
  }
  turn.task();
  if (turn.text === 'ask') turn.askForInput('Which one?');
  else if (turn.text === 'wait') await turn.pause(30_000);
  else if (turn.text === 'parts') turn.artifactOf('parts', turn.message.parts).complete();
  else turn.artifact('answer', `echo of ${turn.text}`).complete('done');
}

let hub: Hub;
let agents: RunningAgent[];

beforeAll(async () => {
  hub = await startHub();
  agents = [
    await startSdkAgent({ name: 'echo', execute: behave }),
    await startSdkAgent({ name: 'other', execute: behave }),
  ];
  await hub.registerAgent(agents[0]!.url, { id: 'echo' });
  await hub.registerAgent(agents[1]!.url, { id: 'other' });
});

afterAll(async () => {
  await hub?.close();
  await Promise.all((agents ?? []).map((agent) => agent.close()));
});

describe.each(['/a2a', '/a2a/agents/echo'])("the SDK's REST client of 0.3 at %s", (path) => {
  let client: Transport;

  beforeAll(async () => {
    const key = await hub.key();
    client = new LegacyRestTransport({
      endpoint: hub.url + path,
      fetchImpl: (url, init) => {
        const headers = new Headers(init?.headers);
        headers.set('authorization', `Bearer ${key}`);
        return fetch(url, { ...init, headers });
      },
    });
  });

  const to = (text: string, more: Partial<Message> = {}): ReturnType<typeof sdkRequest> =>
    sdkRequest(text, { message: { metadata: { agentId: 'echo' }, ...more } });

  const send = async (text: string, more: Partial<Message> = {}): Promise<Task> =>
    taskOf(await client.sendMessage(to(text, more)));

  const begun = async (text: string): Promise<Task> => {
    const request = to(text);
    request.configuration!.returnImmediately = true;
    return taskOf(await client.sendMessage(request));
  };

  it('sends and waits, and gets what it was given', async () => {
    const task = await send('this');
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(task.artifacts[0]!.parts[0]!.content).toEqual({ $case: 'text', value: 'echo of this' });
    expect(await client.getTask({ tenant: '', id: task.id })).toEqual(task);
    const bare = await client.getTask({ tenant: '', id: task.id, historyLength: 0 });
    expect([task.history.length, bare.history.length]).toEqual([1, 0]);
  });

  it('is given a message for a message', async () => {
    const result = (await client.sendMessage(to('reply'))) as Message;
    expect(result.parts[0]!.content).toEqual({ $case: 'text', value: 'just a message' });
    const events = await collect(client.sendMessageStream(to('reply')));
    expect(kindsOf(events)).toEqual(['message']);
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

  it('streams a task to its end', async () => {
    const events = await collect(client.sendMessageStream(to('that')));
    expect(events[0]!.payload?.$case).toBe('task');
    expect(kindsOf(events)).toContain('artifactUpdate');
    expect(events.at(-1)!.payload).toMatchObject({
      $case: 'statusUpdate',
      value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
    });
  });

  it('returns at once when it does not want to wait, subscribes and cancels', async () => {
    const task = await begun('wait');
    const stream = client.resubscribeTask({ tenant: '', id: task.id });
    const first = await stream.next();
    expect(first.value?.payload).toMatchObject({ $case: 'task', value: { id: task.id } });
    const canceled = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const rest = await collect(stream);
    expect(rest.at(-1)!.payload).toMatchObject({
      $case: 'statusUpdate',
      value: { status: { state: TaskState.TASK_STATE_CANCELED } },
    });
  });

  it('answers a question', async () => {
    const asked = await send('ask');
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const { id: taskId, contextId } = asked;
    const done = await send('this one', { taskId, contextId });
    expect([done.id, done.status?.state]).toEqual([taskId, TaskState.TASK_STATE_COMPLETED]);
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
      client.sendMessage(to('more', { taskId: id })),
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

function taskOf(result: Message | Task): Task {
  if ('messageId' in result) throw new Error('a message where a task was awaited');
  return result;
}

function file(content: Part['content'], mediaType: string): Part {
  return { content, metadata: undefined, filename: '', mediaType };
}
