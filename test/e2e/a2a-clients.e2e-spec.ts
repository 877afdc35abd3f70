import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { LegacyJsonRpcTransport } from '@a2a-js/sdk/compat/v0_3/client';
import {
  Role,
  type AgentCard,
  type SendMessageRequest,
  type StreamResponse,
  TaskState,
} from '@a2a-js/sdk';
import { randomUUID } from 'node:crypto';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { legacyUserMessage, userMessage } from '../support/builders.js';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('clients of every version at the bindings', () => {
  let hub: Hub;
  let agent: RunningAgent;
  let key: string;

  beforeAll(async () => {
    hub = await startHub();
    agent = await startSdkAgent({
      skills: [{ id: 'echo', tags: ['echo'] }],
      execute: async (turn) => {
        if (turn.text === 'message') return void turn.reply('a plain answer');
        turn.task().working('on it');
        if (turn.text === 'ask') return void turn.askForInput('What?');
        if (turn.text === 'wait' && (await turn.pause(10_000))) return;
        turn.artifact('echo', `echo: ${turn.text}`).complete();
      },
    });
    await hub.registerAgent(agent.url, { id: 'echo' });
    key = await hub.key();
  });

  afterAll(async () => {
    await hub?.close();
    await agent?.close();
  });

  const authorized: typeof fetch = (input, init) =>
    fetch(input, {
      ...init,
      headers: { ...(init?.headers as object), authorization: `Bearer ${key}` },
    });
  const modern = new JsonRpcTransportFactory({ fetchImpl: authorized });
  type Transport = Awaited<ReturnType<typeof modern.create>>;
  // Both as they are, without the version header that the SDK's client puts before them.
  const transports: Record<'1.0' | '0.3', () => Promise<Transport>> = {
    '1.0': () => modern.create(`${hub.url}/a2a`, {} as AgentCard),
    '0.3': async () =>
      new LegacyJsonRpcTransport({ endpoint: `${hub.url}/a2a`, fetchImpl: authorized }),
  };

  describe.each(['1.0', '0.3'] as const)('the SDK transport of %s', (version) => {
    let client: Transport;

    beforeAll(async () => {
      client = await transports[version]();
    });

    it('sends, gets and is answered in its own words', async () => {
      const answer = await client.sendMessage(request('hello'));
      expect(answer).toMatchObject({
        status: { state: TaskState.TASK_STATE_COMPLETED },
        artifacts: [{ parts: [{ content: { value: 'echo: hello' } }] }],
      });
      const task = answer as { id: string; status: { timestamp: string } };
      expect(task.status.timestamp).toMatch(ISO);
      const again = await client.getTask({ id: task.id, tenant: '' });
      expect(again).toMatchObject({
        id: task.id,
        status: { timestamp: expect.stringMatching(ISO) },
      });
      expect(JSON.stringify(again)).not.toContain(agent.turns.at(-1)!.taskId);
      expect(JSON.stringify(again)).not.toContain(agent.turns.at(-1)!.contextId);
    });

    it('gets a plain Message of the agent as a Message', async () => {
      const answer = await client.sendMessage(request('message'));
      expect(answer).toMatchObject({
        role: Role.ROLE_AGENT,
        parts: [{ content: { value: 'a plain answer' } }],
      });
      const events = await all(client.sendMessageStream(request('message')));
      expect(events.map(({ payload }) => payload?.$case)).toEqual(['message']);
    });

    it('streams', async () => {
      const events = await all(client.sendMessageStream(request('hello')));
      expect(events[0]!.payload?.$case).toBe('task');
      const last = events.at(-1)!.payload;
      expect(last).toMatchObject({
        $case: 'statusUpdate',
        value: {
          status: { state: TaskState.TASK_STATE_COMPLETED, timestamp: expect.stringMatching(ISO) },
        },
      });
    });

    it('subscribes, cancels and learns of it', async () => {
      const open = client.sendMessageStream(request('wait'));
      const first = (await open.next()).value as StreamResponse;
      if (first.payload?.$case !== 'task') throw new Error('no task first');
      const { id } = first.payload.value;
      const other = client.resubscribeTask({ id, tenant: '' });
      expect(((await other.next()).value as StreamResponse).payload).toMatchObject({
        $case: 'task',
        value: { id },
      });
      const rest = Promise.all([all(open), all(other)]);
      const canceled = await client.cancelTask({ id, tenant: '', metadata: undefined });
      expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
      for (const events of await rest) {
        expect(events.at(-1)!.payload).toMatchObject({
          $case: 'statusUpdate',
          value: { status: { state: TaskState.TASK_STATE_CANCELED } },
        });
      }
    });

    it('answers a question on the same task', async () => {
      const events = await all(client.sendMessageStream(request('ask')));
      const last = events.at(-1)!.payload;
      if (last?.$case !== 'statusUpdate') throw new Error('no status last');
      expect(last.value.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
      const { taskId, contextId } = last.value;
      const answer = await client.sendMessage(request('42', { taskId, contextId }));
      expect(answer).toMatchObject({
        id: taskId,
        status: { state: TaskState.TASK_STATE_COMPLETED },
      });
    });

    it('sets, gets, lists and deletes webhooks', async () => {
      const { id: taskId } = (await client.sendMessage(request('hello'))) as { id: string };
      const config = {
        tenant: '',
        taskId,
        id: 'mine',
        url: 'https://example.com/hook',
        token: '',
        authentication: { scheme: 'Bearer', credentials: 'secret' },
      };
      const made = await client.createTaskPushNotificationConfig(config);
      expect(made).toMatchObject({ taskId, id: 'mine', url: config.url });
      expect(JSON.stringify(made)).not.toContain('secret');
      const byId = { taskId, id: 'mine', tenant: '' };
      expect(await client.getTaskPushNotificationConfig(byId)).toMatchObject({ id: 'mine' });
      const list = await client.listTaskPushNotificationConfig({
        taskId,
        tenant: '',
        pageSize: 0,
        pageToken: '',
      });
      expect(list.configs).toHaveLength(1);
      await client.deleteTaskPushNotificationConfig(byId);
      await expect(client.getTaskPushNotificationConfig(byId)).rejects.toThrow(/not found/i);
    });

    it('understands the errors', async () => {
      await expect(client.getTask({ id: 'nothing', tenant: '' })).rejects.toMatchObject({
        name: expect.stringContaining('TaskNotFound'),
      });
      const { id } = (await client.sendMessage(request('hello'))) as { id: string };
      await expect(
        client.cancelTask({ id, tenant: '', metadata: undefined }),
      ).rejects.toMatchObject({ name: expect.stringContaining('TaskNotCancelable') });
      // Without a stated version 0.3 is told on the stream, where the SDK knows no classes of errors.
      await expect(client.resubscribeTask({ id, tenant: '' }).next()).rejects.toThrow(
        /cannot be subscribed to/,
      );
    });
  });

  it('keeps a task reachable from both versions', async () => {
    const { task } = await hub.send('hello', { metadata: { agentId: 'echo' } });
    const old = await hub.rpc('tasks/get', { id: task.id }, { version: '0.3' });
    expect(old).toMatchObject({
      kind: 'task',
      id: task.id,
      status: { state: 'completed', timestamp: expect.stringMatching(ISO) },
      artifacts: [{ parts: [{ kind: 'text', text: 'echo: hello' }] }],
    });
  });

  it('hands cards out that resolvers of each version read', async () => {
    for (const legacyCompat of [{ enabled: true }, { enabled: false }]) {
      const card = await new DefaultAgentCardResolver({ legacyCompat }).resolve(hub.url);
      expect(card.supportedInterfaces[0]).toMatchObject({
        url: `${hub.url}/a2a`,
        protocolVersion: '1.0',
      });
      expect(card.skills.map(({ id }) => id)).toEqual(['echo.echo']);
    }
    const plain = await (await fetch(`${hub.url}/.well-known/agent-card.json`)).json();
    expect(plain).toMatchObject({ protocolVersion: '0.3.0', url: `${hub.url}/a2a` });
    const own = await fetch(`${hub.url}/a2a/agents/echo/.well-known/agent-card.json`);
    expect(await own.json()).toMatchObject({
      url: `${hub.url}/a2a/agents/echo`,
      skills: [{ id: 'echo' }],
    });
  });

  it.each([
    ['/a2a', '1.0', 'SendMessage', userMessage],
    ['/', '1.0', 'SendMessage', userMessage],
    ['/a2a/', '0.3', 'message/send', legacyUserMessage],
    ['/a2a/agents/echo', '1.0', 'SendMessage', userMessage],
    ['/a2a/agents/echo/', '0.3', 'message/send', legacyUserMessage],
  ])('takes a message at %s in %s', async (path, version, method, message) => {
    const params = { message: message('hello'), metadata: { agentId: 'echo' } };
    const answer = await hub.rpcRaw(method, params, { path, version });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('echo: hello');
  });

  it('refuses an agent nobody knows before a task exists', async () => {
    const before = await hub.rpc('ListTasks', {});
    const answer = await hub.rpcRaw(
      'SendMessage',
      { message: userMessage('x') },
      { path: '/a2a/agents/nobody' },
    );
    expect(answer.body.error).toMatchObject({ code: -32602, data: [{ reason: 'NO_ROUTE' }] });
    expect((await hub.rpc('ListTasks', {})).totalSize).toBe(before.totalSize);
  });

  it('refuses an unknown key, and a body only after the key is known', async () => {
    const unknown = await hub.post('/a2a', '{', { key: 'hub_nobody_nothing' });
    expect(unknown.status).toBe(401);
    expect(unknown.headers['www-authenticate']).toContain('error="invalid_token"');
    const admin = await hub.createKey({ name: 'admin only', scopes: ['agents'] });
    expect((await hub.post('/a2a', '{', { key: admin })).status).toBe(403);
  });

  it('answers a body over the limit with 413', async () => {
    const message = userMessage('x'.repeat(11 * 1024 * 1024));
    const answer = await hub.rpcRaw('SendMessage', { message });
    expect(answer.status).toBe(413);
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
  });
});

function request(
  text: string,
  ids: { taskId?: string; contextId?: string } = {},
): SendMessageRequest {
  return {
    tenant: '',
    message: {
      messageId: randomUUID(),
      contextId: ids.contextId ?? '',
      taskId: ids.taskId ?? '',
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: 'text', value: text },
          metadata: undefined,
          filename: '',
          mediaType: '',
        },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: { agentId: 'echo' },
  };
}

async function all(stream: AsyncGenerator<StreamResponse, void>): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
