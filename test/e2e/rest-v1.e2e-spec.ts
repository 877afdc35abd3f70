import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AgentCard, TaskState } from '@a2a-js/sdk';
import { RestTransportFactory, type Transport } from '@a2a-js/sdk/client';
import type { RunningAgent } from '../support/agents.js';
import type { Hub } from '../support/app.js';
import { collect, fetchWith, sdkRequest } from '../support/sdk-client.js';
import { type RestHub, UNKNOWN, WEBHOOK, startRestHub, taskOf } from './rest-harness.js';
import { restClientSuite, toEcho } from './rest-suite.js';

let rest: RestHub;
let hub: Hub;
let agents: readonly RunningAgent[];

beforeAll(async () => {
  rest = await startRestHub('echo', 'other');
  ({ hub, agents } = rest);
});

afterAll(() => rest.close());

describe("the SDK's REST client", () => {
  let client: Transport;

  beforeAll(async () => {
    client = await restClient(hub, '/a2a');
  });

  restClientSuite(() => client);

  it('sends, gets and lists', async () => {
    const task = taskOf(await client.sendMessage(toEcho('this')));
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

  it('keeps push configs', async () => {
    const { id: taskId } = taskOf(await client.sendMessage(toEcho('this')));
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
    const { id } = taskOf(await client.sendMessage(toEcho('this')));
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
  const fetchImpl = fetchWith(`Bearer ${await to.key()}`);
  return new RestTransportFactory({ fetchImpl }).create(to.url + path, {} as AgentCard);
}
