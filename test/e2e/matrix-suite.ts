import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Message, type Part, TaskState } from '@a2a-js/sdk';
import { type AgentBinding, textOf, textPart } from '../support/agents.js';
import type { JsonObject } from '../support/json.js';
import { collect, kindsOf } from '../support/sdk-client.js';
import {
  AGENTS,
  contentsOf,
  contentsThrough,
  isLegacyProto,
  lastState,
  Matrix,
  named,
  type Pair,
  stateOf,
  taskOf,
} from './matrix-harness.js';

/** Every pair of a client on this binding, in both versions, with the six agents. */
export function describeMatrix(binding: AgentBinding): void {
  let matrix: Matrix;
  beforeAll(async () => {
    matrix = await Matrix.start(binding);
  });
  afterAll(() => matrix.close());

  const pairs = (['1.0', '0.3'] as const).flatMap((version) =>
    AGENTS.map((agent) => ({ client: `${binding} ${version}`, version, agent })),
  );
  for (const { client, version, agent } of pairs) {
    describe(`a client ${client} with an agent ${named(agent)}`, () => {
      let pair: Pair;
      beforeAll(() => {
        pair = matrix.pair(version, agent);
      });

      it('sends and waits for the whole task', async () => {
        const task = await pair.send('this');
        expect(stateOf(task)).toBe('COMPLETED');
        expect(task.artifacts.map(({ parts }) => textOf(parts))).toEqual(['first second of this']);
        expect(task.id).not.toBe(pair.turn.taskId);
        expect(task.contextId).not.toBe(pair.turn.contextId);
      });

      it('sends and gets the task at once', async () => {
        const task = await pair.begin();
        expect(['SUBMITTED', 'WORKING']).toContain(stateOf(task));
        await pair.cancel(task.id);
      });

      it('streams a task from its snapshot to its end', async () => {
        const events = await collect(pair.client.sendMessageStream(pair.to('that')));
        const [first, ...updates] = kindsOf(events);
        expect(first).toBe('task');
        expect(new Set(updates)).toEqual(new Set(['statusUpdate', 'artifactUpdate']));
        expect(lastState(events)).toBe('COMPLETED');
        const chunks = events.flatMap(({ payload }) =>
          payload?.$case === 'artifactUpdate' ? [payload.value] : [],
        );
        expect(chunks.map(({ artifact }) => textOf(artifact?.parts))).toEqual([
          'first ',
          'second of that',
        ]);
        // The SDK's client leaves `append` out when it reads a 0.3 event in ProtoJSON or gRPC.
        const appended = isLegacyProto({ binding, version }) ? [false, false] : [false, true];
        expect(chunks.map(({ append }) => append)).toEqual(appended);
      });

      it('gets a task with as much history as asked for', async () => {
        const { id } = await pair.send('history');
        const texts = async (length?: number): Promise<string[]> =>
          (await pair.get(id, length)).history.map(({ parts }) => textOf(parts));
        expect(await texts()).toEqual(['history', 'thinking']);
        expect(await texts(1)).toEqual(['thinking']);
        // In gRPC 0.3 a length of 0 is an absent one.
        const none = client === 'GRPC 0.3' ? ['history', 'thinking'] : [];
        expect(await texts(0)).toEqual(none);
      });

      it(version === '1.0' ? 'lists its tasks' : 'has no list in this version', async () => {
        const task = await pair.send('listed');
        const { contextId } = task;
        const listing = pair.client.listTasks({
          tenant: '',
          contextId,
          status: TaskState.TASK_STATE_COMPLETED,
          pageSize: 10,
          pageToken: '',
          statusTimestampAfter: undefined,
          includeArtifacts: true,
        });
        if (version === '0.3') {
          await expect(listing).rejects.toThrow(/method not found|no equivalent/i);
          return;
        }
        const { tasks, totalSize } = await listing;
        expect(tasks.map(({ id }) => id)).toEqual([task.id]);
        expect(textOf(tasks[0]!.artifacts[0]?.parts)).toBe('first second of listed');
        expect(totalSize).toBe(1);
      });

      it('cancels a running task, at the agent too', async () => {
        const { id } = await pair.begin();
        const { turn } = pair;
        expect(stateOf(await pair.cancel(id))).toBe('CANCELED');
        expect(turn.canceled.signal.aborted).toBe(true);
        expect(stateOf(await pair.get(id))).toBe('CANCELED');
      });

      it('subscribes to a running task: a snapshot, then every event to the end', async () => {
        const { id } = await pair.begin();
        const stream = pair.subscribe(id);
        const first = (await stream.next()).value;
        expect(first).toMatchObject({ payload: { $case: 'task', value: { id } } });
        await pair.cancel(id);
        const rest = await collect(stream);
        expect(kindsOf(rest)).not.toContain('task');
        expect(lastState(rest)).toBe('CANCELED');
      });

      it('answers the question of a task, and gets the same task', async () => {
        const asked = await pair.send('ask');
        expect(stateOf(asked)).toBe('INPUT_REQUIRED');
        expect(textOf(asked.status?.message?.parts)).toBe('Which one?');
        const before = pair.turn.taskId;
        const { id: taskId, contextId } = asked;
        const done = await pair.send('the left one', { taskId, contextId });
        expect(done).toMatchObject({ id: taskId, contextId });
        expect(stateOf(done)).toBe('COMPLETED');
        expect(textOf(done.artifacts[0]?.parts)).toBe('you said the left one');
        expect(pair.turn.taskId).toBe(before);
      });

      it('gets a plain message as a message, sent and streamed', async () => {
        const answer = (await pair.client.sendMessage(pair.to('reply'))) as Message;
        expect(textOf(answer.parts)).toBe('just a message');
        expect(answer.contextId).not.toBe('');
        const events = await collect(pair.client.sendMessageStream(pair.to('reply')));
        expect(kindsOf(events)).toEqual(['message']);
      });

      it('passes files there and back, with name, media type and metadata', async () => {
        const about = { filename: 'a.csv', mediaType: 'text/csv', metadata: { 'x-file': 'yes' } };
        const parts: Part[] = [
          { content: { $case: 'raw', value: Buffer.from('a;b\n\u00e9') }, ...about },
          { content: { $case: 'url', value: 'https://example.com/a.csv' }, ...about },
        ];
        const task = await pair.send('', { parts: [textPart('hand back'), ...parts] });
        const expected = contentsThrough(parts, { binding, version }, agent);
        expect(contentsOf(pair.turn.message.parts.slice(1))).toEqual(expected);
        expect(contentsOf(task.artifacts[0]?.parts)).toEqual(expected);
      });

      it('passes data there and back, also what is no object', async () => {
        const parts = [
          { text: 'a', number: 1.5, none: null, list: [1, { two: 2 }], snake_case: true },
          [1, 'two', null],
          'three',
        ].map(dataPart);
        const task = await pair.send('', { parts: [textPart('hand back'), ...parts] });
        const expected = contentsThrough(parts, { binding, version }, agent);
        expect(contentsOf(pair.turn.message.parts.slice(1))).toEqual(expected);
        expect(contentsOf(task.artifacts[0]?.parts)).toEqual(expected);
      });

      it('passes unknown metadata and extensions there and back', async () => {
        const metadata = {
          'https://example.com/ext': { deep: [1, { two: null }] },
          snake_key: 'x',
        };
        const extensions = ['https://example.com/ext'];
        const request = pair.to('', {
          message: { parts: [textPart('hand back'), dataPart({})], metadata, extensions },
        });
        request.metadata = { 'https://example.com/request': 'too' };
        const task = taskOf(await pair.client.sendMessage(request));
        const { message } = pair.turn;
        expect(message.messageId).toBe(request.message!.messageId);
        expect(message.metadata).toMatchObject(metadata);
        expect(message.extensions).toEqual(extensions);
        expect(task.artifacts[0]?.metadata).toMatchObject(metadata);
        expect(pair.turn.context).toMatchObject({ request: { metadata: request.metadata } });
      });

      it('sets, gets, lists and deletes push configs', async () => {
        const { id: taskId } = await pair.send('pushed');
        const { client } = pair;
        const config = {
          tenant: '',
          taskId,
          id: 'mine',
          url: matrix.sink.url('/never'),
          token: '',
        };
        const authentication = { scheme: 'Bearer', credentials: 'secret' };
        const created = await client.createTaskPushNotificationConfig({
          ...config,
          authentication,
        });
        expect(created).toMatchObject({ id: 'mine', taskId, url: config.url });
        const named = { tenant: '', taskId, id: 'mine' };
        expect(await client.getTaskPushNotificationConfig(named)).toMatchObject({
          ...named,
          url: config.url,
        });
        const listed = { tenant: '', taskId, pageSize: 10, pageToken: '' };
        const { configs } = await client.listTaskPushNotificationConfig(listed);
        expect(configs.map(({ id }) => id)).toEqual(['mine']);
        await client.deleteTaskPushNotificationConfig(named);
        expect((await client.listTaskPushNotificationConfig(listed)).configs).toEqual([]);
        await expect(client.getTaskPushNotificationConfig(named)).rejects.toThrow(/not found/i);
      });

      it(`is told of its task by webhook in ${version}`, async () => {
        const path = `/${client}/${named(agent)}`.replaceAll(' ', '-');
        const request = pair.to('tell', {
          configuration: {
            taskPushNotificationConfig: {
              tenant: '',
              id: '',
              taskId: '',
              url: matrix.sink.url(path),
              token: 'the-token',
              authentication: { scheme: 'Bearer', credentials: 'the-credentials' },
            },
          },
        });
        const task = taskOf(await pair.client.sendMessage(request));
        const end = await matrix.sink.waitFor(
          (one) => one.path === path && /COMPLETED|"completed"/.test(one.raw.toString()),
        );
        expect(end.headers).toMatchObject({
          authorization: 'Bearer the-credentials',
          'x-a2a-notification-token': 'the-token',
          'content-type': expect.stringMatching(
            version === '1.0' ? /^application\/a2a\+json/ : /^application\/json/,
          ),
        });
        const bodies = matrix.sink.at(path).map(({ json }) => json as JsonObject);
        if (version === '1.0') {
          expect(bodies.map((body) => Object.keys(body).join())).toEqual(
            expect.arrayContaining(['task', 'artifactUpdate', 'statusUpdate']),
          );
          expect(end.json).toMatchObject({
            statusUpdate: { taskId: task.id, status: { state: 'TASK_STATE_COMPLETED' } },
          });
        } else {
          expect(new Set(bodies.map(({ kind }) => kind as string))).toEqual(new Set(['task']));
          expect(end.json).toMatchObject({
            id: task.id,
            contextId: task.contextId,
            status: { state: 'completed' },
            artifacts: [{ parts: [{ kind: 'text' }, { text: 'second of tell' }] }],
          });
        }
      });

      it('gets the same errors', async () => {
        const { id, contextId } = await pair.send('finished');
        const follow = pair.to('more', { message: { taskId: id, contextId } });
        const lost = pair.to('more', { message: { taskId: 'no-such-task' } });
        const refusals: [() => Promise<unknown>, string][] = [
          [() => pair.get('no-such-task'), 'TaskNotFoundError'],
          [() => pair.cancel('no-such-task'), 'TaskNotFoundError'],
          [() => collect(pair.subscribe('no-such-task')), 'TaskNotFoundError'],
          [() => pair.client.sendMessage(lost), 'TaskNotFoundError'],
          [() => collect(pair.client.sendMessageStream(lost)), 'TaskNotFoundError'],
          [() => pair.cancel(id), 'TaskNotCancelableError'],
          [() => pair.client.sendMessage(follow), 'UnsupportedOperationError'],
          [() => collect(pair.subscribe(id)), 'UnsupportedOperationError'],
        ];
        for (const [refused, name] of refusals) {
          await expect(refused()).rejects.toMatchObject({ name });
        }
      });
    });
  }
}

function dataPart(value: unknown): Part {
  return {
    content: { $case: 'data', value },
    filename: '',
    mediaType: '',
    metadata: undefined,
  };
}
