import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AgentCard, type Message, type Task, TaskState } from '@a2a-js/sdk';
import { RestTransportFactory, type Transport } from '@a2a-js/sdk/client';
import { type AgentTurn, type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { collect, kindsOf, sdkRequest } from '../support/sdk-client.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const WEBHOOK = 'https://example.com/hook';

/** What the agents of this file do, by the message's text. */
async function behave(turn: AgentTurn): Promise<void> {
  if (turn.text === 'reply') {
    turn.reply('just a message');
    return;
  }
  turn.task();
  if (turn.text === 'ask') turn.askForInput('Which one?');
  else if (turn.text === 'wait') await turn.pause(30_000);
  else turn.artifact('answer', `echo of ${turn.text}`).complete();
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

describe("the SDK's REST client", () => {
  let client: Transport;

  beforeAll(async () => {
    client = await restClient(hub, '/a2a');
  });

  const to = (text: string, more: Partial<Message> = {}): ReturnType<typeof sdkRequest> =>
    sdkRequest(text, { message: { metadata: { agentId: 'echo' }, ...more } });

  const begun = async (text: string): Promise<Task> => {
    const request = to(text);
    request.configuration!.returnImmediately = true;
    return taskOf(await client.sendMessage(request));
  };

  it('sends, gets and lists', async () => {
    const task = taskOf(await client.sendMessage(to('this')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(await client.getTask({ tenant: '', id: task.id })).toEqual(task);
    const bare = await client.getTask({ tenant: '', id: task.id, historyLength: 0 });
    expect([task.history.length, bare.history.length]).toEqual([1, 0]);
    const list = await client.listTasks({
      tenant: '',
      contextId: task.contextId,
      status: TaskState.TASK_STATE_COMPLETED,
      pageSize: 1,
      pageToken: '',
      historyLength: undefined,
      statusTimestampAfter: '2020-01-01T00:00:00.000Z',
      includeArtifacts: true,
    });
    expect(list.tasks.map(({ id, artifacts }) => [id, artifacts.length])).toEqual([[task.id, 1]]);
    expect(list.totalSize).toBe(1);
  });

  it('is given a message for a message', async () => {
    const result = (await client.sendMessage(to('reply'))) as Message;
    expect(result.parts[0]!.content).toEqual({ $case: 'text', value: 'just a message' });
  });

  it('streams a task to its end', async () => {
    const events = await collect(client.sendMessageStream(to('that')));
    expect(events[0]!.payload?.$case).toBe('task');
    expect(kindsOf(events).at(-1)).toBe('statusUpdate');
    expect(kindsOf(events)).toContain('artifactUpdate');
  });

  it('subscribes to a task and cancels it', async () => {
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
    const asked = taskOf(await client.sendMessage(to('ask')));
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const { id: taskId, contextId } = asked;
    const done = taskOf(await client.sendMessage(to('this one', { taskId, contextId })));
    expect([done.id, done.status?.state]).toEqual([taskId, TaskState.TASK_STATE_COMPLETED]);
  });

  it('keeps push configs', async () => {
    const { id: taskId } = taskOf(await client.sendMessage(to('this')));
    const config = {
      tenant: '',
      id: 'a/b c',
      taskId,
      url: WEBHOOK,
      token: '',
      authentication: undefined,
    };
    expect(await client.createTaskPushNotificationConfig(config)).toEqual(config);
    const named = { tenant: '', taskId, id: config.id };
    expect(await client.getTaskPushNotificationConfig(named)).toEqual(config);
    const page = { tenant: '', taskId, pageSize: 0, pageToken: '' };
    expect((await client.listTaskPushNotificationConfig(page)).configs).toEqual([config]);
    await client.deleteTaskPushNotificationConfig(named);
    expect((await client.listTaskPushNotificationConfig(page)).configs).toEqual([]);
  });

  it('is told of errors in their own classes', async () => {
    await expect(client.getTask({ tenant: '', id: UNKNOWN })).rejects.toMatchObject({
      name: 'TaskNotFoundError',
    });
    const { id } = taskOf(await client.sendMessage(to('this')));
    await expect(client.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toMatchObject({
      name: 'TaskNotCancelableError',
    });
    await expect(collect(client.resubscribeTask({ tenant: '', id }))).rejects.toMatchObject({
      name: 'UnsupportedOperationError',
    });
  });

  it.each(['tenant', 'sub-path'])('reaches an agent by %s', async (how) => {
    const [transport, tenant] =
      how === 'tenant' ? [client, 'other'] : [await restClient(hub, '/a2a/agents/other'), ''];
    const before = agents[1]!.turns.length;
    const request = { ...sdkRequest('for you'), tenant };
    const task = taskOf(await transport.sendMessage(request));
    expect(agents[1]!.turns.length).toBe(before + 1);
    expect((await transport.getTask({ tenant, id: task.id })).id).toBe(task.id);
    // The task is the other agent's at no other address.
    await expect(client.getTask({ tenant: 'echo', id: task.id })).rejects.toMatchObject({
      name: 'TaskNotFoundError',
    });
    await expect(client.sendMessage({ ...sdkRequest('x'), tenant: 'nobody' })).rejects.toThrow();
  });
});

async function restClient(to: Hub, path: string): Promise<Transport> {
  const key = await to.key();
  const fetchImpl: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${key}`);
    return fetch(url, { ...init, headers });
  };
  return new RestTransportFactory({ fetchImpl }).create(to.url + path, {} as AgentCard);
}

function taskOf(result: Message | Task): Task {
  if (!('status' in result)) throw new Error('a message, where a task was expected');
  return result;
}
