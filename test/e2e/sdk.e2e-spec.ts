import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Message, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { type AgentTurn, type RunningAgent, startSdkAgent, textOf } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import type { JsonObject } from '../support/json.js';
import { collect, kindsOf, sdkClient, sdkRequest } from '../support/sdk-client.js';
import { WebhookSink } from '../support/webhook-sink.js';

/** What the agents of this file do, by the message's text. */
async function behave(turn: AgentTurn): Promise<void> {
  if (turn.isFollowUp) {
    turn.task().working().artifact('answer', `you said ${turn.text}`).complete();
  } else if (turn.text === 'ask') turn.task().askForInput('Which one?');
  else if (turn.text === 'reply') turn.reply('just a message');
  else if (turn.text === 'wait') {
    turn.task().working('waiting');
    await turn.pause(30_000);
  } else {
    turn.task().working('thinking');
    turn.artifact('answer', 'first ', { lastChunk: false });
    turn.artifact('answer', `second of ${turn.text}`, { append: true });
    turn.complete();
  }
}

const AGENTS = [
  { id: 'current', version: '1.0', streaming: true },
  { id: 'older', version: '0.3', streaming: true },
  { id: 'polled', version: '1.0', streaming: false },
  { id: 'older-polled', version: '0.3', streaming: false },
] as const;

let hub: Hub;
let sink: WebhookSink;
const agents: RunningAgent[] = [];

beforeAll(async () => {
  [hub, sink] = await Promise.all([startHub(), WebhookSink.start()]);
  for (const { id, version, streaming } of AGENTS) {
    const skills = [{ id: 'work', tags: ['work', id] }];
    const agent = await startSdkAgent({ name: id, version, streaming, skills, execute: behave });
    agents.push(agent);
    await hub.registerAgent(agent.url, { id });
  }
});

afterAll(async () => {
  await hub.close();
  await Promise.all([...agents, sink].map((one) => one.close()));
});

const PAIRS = (['1.0', '0.3'] as const).flatMap((version) =>
  AGENTS.map((agent) => ({ client: version, agent: agent.id, streaming: agent.streaming })),
);

describe.each(PAIRS)(
  'an SDK client $client with the agent "$agent"',
  ({ client: version, agent }) => {
    let client: Client;
    const to = (text: string, more: Partial<Message> = {}): ReturnType<typeof sdkRequest> =>
      sdkRequest(text, { message: { metadata: { agentId: agent }, ...more } });
    const get = (id: string): Promise<Task> => client.getTask({ tenant: '', id });

    beforeAll(async () => {
      client = await sdkClient(hub.url, await hub.key(), version);
    });

    it('sends and waits for the whole task', async () => {
      const task = taskOf(await client.sendMessage(to('this')));
      expect(stateOf(task)).toBe('COMPLETED');
      expect(artifactText(task)).toBe('first second of this');
      expect(agents.flatMap(({ turns }) => turns.map(({ taskId }) => taskId))).not.toContain(
        task.id,
      );
    });

    it('streams a task from its snapshot to its end', async () => {
      const events = await collect(client.sendMessageStream(to('that')));
      expect(events[0]!.payload?.$case).toBe('task');
      expect(kindsOf(events.slice(1))).not.toContain('task');
      expect(lastState(events)).toBe('COMPLETED');
      const task = await get(idOf(events[0]!));
      expect(artifactText(task)).toBe('first second of that');
      expect(streamedText(events)).toBe('first second of that');
    });

    it('gets a task with as much history as asked for', async () => {
      const { id } = taskOf(await client.sendMessage(to('history')));
      const whole = await get(id);
      expect(textOf(whole.history[0]?.parts)).toBe('history');
      expect((await client.getTask({ tenant: '', id, historyLength: 0 })).history).toEqual([]);
      await expect(client.getTask({ tenant: '', id: 'no-such-task' })).rejects.toThrow(
        /not found/i,
      );
    });

    it('continues a task that asked for input', async () => {
      const requested = taskOf(await client.sendMessage(to('ask')));
      expect(stateOf(requested)).toBe('INPUT_REQUIRED');
      expect(textOf(requested.status?.message?.parts)).toBe('Which one?');
      const ids = { taskId: requested.id, contextId: requested.contextId };
      const done = taskOf(await client.sendMessage(to('the left one', ids)));
      expect(done.id).toBe(requested.id);
      expect(stateOf(done)).toBe('COMPLETED');
      expect(artifactText(done)).toBe('you said the left one');
    });

    it('answers a plain message with a message', async () => {
      const answer = await client.sendMessage(to('reply'));
      expect(answer).toHaveProperty('messageId');
      expect(textOf((answer as Message).parts)).toBe('just a message');
      const events = await collect(client.sendMessageStream(to('reply')));
      expect(kindsOf(events)).toEqual(['message']);
    });

    it('cancels a running task, and not a finished one', async () => {
      const running = await begin(client, to('wait'));
      await until(get, running, 'WORKING');
      const canceled = await client.cancelTask({ tenant: '', id: running, metadata: undefined });
      expect(stateOf(canceled)).toBe('CANCELED');
      await expect(
        client.cancelTask({ tenant: '', id: running, metadata: undefined }),
      ).rejects.toThrow(/cancel/i);
    });

    it('subscribes to a running task: a snapshot, then every event to the end', async () => {
      const running = await begin(client, to('wait'));
      await until(get, running, 'WORKING');
      const stream = client.resubscribeTask({ tenant: '', id: running });
      const first = (await stream.next()).value as StreamResponse;
      expect(first.payload).toMatchObject({ $case: 'task', value: { id: running } });
      await client.cancelTask({ tenant: '', id: running, metadata: undefined });
      expect(lastState(await collect(stream))).toBe('CANCELED');
    });

    it('sets, gets, lists and deletes a push config, and is told', async () => {
      const path = `/${version}/${agent}`;
      const running = await begin(client, to('wait'));
      const config = {
        tenant: '',
        taskId: running,
        id: 'mine',
        url: sink.url(path),
        token: 'secret',
      };
      const authentication = { scheme: 'Bearer', credentials: 'credentials-of-mine' };
      const created = await client.createTaskPushNotificationConfig({ ...config, authentication });
      expect(created).toMatchObject({ id: 'mine', taskId: running, url: sink.url(path) });
      const one = await client.getTaskPushNotificationConfig({
        tenant: '',
        taskId: running,
        id: 'mine',
      });
      expect(one.url).toBe(sink.url(path));
      const listed = { tenant: '', taskId: running, pageSize: 10, pageToken: '' };
      expect((await client.listTaskPushNotificationConfig(listed)).configs).toHaveLength(1);

      await client.cancelTask({ tenant: '', id: running, metadata: undefined });
      const isEnd = ({ json }: { json: unknown }): boolean =>
        /CANCELED|"canceled"/.test(JSON.stringify(json));
      const told = await sink.waitFor((one) => one.path === path && isEnd(one));
      expect(told.headers).toMatchObject({
        authorization: 'Bearer credentials-of-mine',
        'x-a2a-notification-token': 'secret',
        'a2a-notification-token': 'secret',
      });
      if (version === '1.0') {
        expect(told.headers['content-type']).toContain('application/a2a+json');
        expect(told.json).toMatchObject({ statusUpdate: { taskId: running } });
      } else {
        expect(told.headers['content-type']).toContain('application/json');
        expect(told.json).toMatchObject({
          kind: 'task',
          id: running,
          status: { state: 'canceled' },
        });
      }

      await client.deleteTaskPushNotificationConfig({ tenant: '', taskId: running, id: 'mine' });
      expect((await client.listTaskPushNotificationConfig(listed)).configs).toEqual([]);
    });
  },
);

describe('an SDK client 1.0', () => {
  it('lists its tasks, newest first, page by page', async () => {
    const key = await hub.createKey({ name: 'lister' });
    const client = await sdkClient(hub.url, key);
    const request = (text: string): ReturnType<typeof sdkRequest> =>
      sdkRequest(text, { message: { metadata: { agentId: 'current' } } });
    const ids: string[] = [];
    for (const text of ['a', 'b', 'c']) {
      ids.unshift(taskOf(await client.sendMessage(request(text))).id);
    }
    const ask = (pageToken: string): ReturnType<Client['listTasks']> =>
      client.listTasks({
        tenant: '',
        contextId: '',
        status: TaskState.TASK_STATE_UNSPECIFIED,
        pageSize: 2,
        pageToken,
        statusTimestampAfter: undefined,
      });
    const first = await ask('');
    const second = await ask(first.nextPageToken);
    expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual(ids);
    expect([first.totalSize, second.totalSize]).toEqual([3, 3]);
    expect(second.nextPageToken).toBe('');
  });

  it('merges the work of all agents of a tag into one task', async () => {
    const client = await sdkClient(hub.url, await hub.key());
    const metadata = { 'urn:a2a-hub:routing:v1': { tags: ['work'], strategy: 'all' } };
    const events = await collect(
      client.sendMessageStream(sdkRequest('all', { message: { metadata } })),
    );
    expect(lastState(events)).toBe('COMPLETED');
    const task = await client.getTask({ tenant: '', id: idOf(events[0]!) });
    expect(task.artifacts).toHaveLength(AGENTS.length);
    expect(new Set(task.artifacts.map(({ artifactId }) => artifactId)).size).toBe(AGENTS.length);
    const origins = task.artifacts.map(
      ({ metadata: own }) => (own as JsonObject)['urn:a2a-hub:routing:v1'].agentId as string,
    );
    expect(origins.toSorted()).toEqual(AGENTS.map(({ id }) => id).toSorted());
    for (const artifact of task.artifacts) {
      expect(textOf(artifact.parts)).toBe('first second of all');
    }
  });
});

/** Begins a task that goes on; its id. */
async function begin(client: Client, request: ReturnType<typeof sdkRequest>): Promise<string> {
  request.configuration!.returnImmediately = true;
  return taskOf(await client.sendMessage(request)).id;
}

async function until(get: (id: string) => Promise<Task>, id: string, state: string): Promise<void> {
  for (let look = 0; look < 250; look++) {
    if (stateOf(await get(id)) === state) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`task ${id} did not become ${state}`);
}

function taskOf(answer: Message | Task): Task {
  if ('messageId' in answer) throw new Error(`a message came: ${JSON.stringify(answer)}`);
  return answer;
}

function stateOf(task: Task): string {
  return TaskState[task.status!.state].replace('TASK_STATE_', '');
}

function artifactText(task: Task): string {
  return task.artifacts.map(({ parts }) => textOf(parts)).join('|');
}

function idOf(event: StreamResponse): string {
  return event.payload?.$case === 'task' ? event.payload.value.id : '';
}

function lastState(events: readonly StreamResponse[]): string {
  const payload = events.at(-1)?.payload;
  const status = payload && 'status' in payload.value ? payload.value.status : undefined;
  return TaskState[status!.state].replace('TASK_STATE_', '');
}

/** The text of all artifact chunks of a stream, replacements taken into account. */
function streamedText(events: readonly StreamResponse[]): string {
  let text = '';
  for (const { payload } of events) {
    if (payload?.$case !== 'artifactUpdate') continue;
    const chunk = textOf(payload.value.artifact?.parts);
    text = payload.value.append ? text + chunk : chunk;
  }
  return text;
}
