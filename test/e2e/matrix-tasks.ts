import { expect, it } from '@jest/globals';
import { type Message, TaskState } from '@a2a-js/sdk';
import { textOf } from '../support/agents.js';
import { collect, kindsOf } from '../support/sdk-client.js';
import {
  type Dialect,
  isLegacyProto,
  lastState,
  named,
  type Pair,
  stateOf,
} from './matrix-harness.js';

/** Tasks from their beginning to their end. */
export function describeTasks(client: Dialect, pairOf: () => Pair): void {
  it('sends and waits for the whole task', async () => {
    const pair = pairOf();
    const task = await pair.send('this');
    expect(stateOf(task)).toBe('COMPLETED');
    expect(task.artifacts.map(({ parts }) => textOf(parts))).toEqual(['first second of this']);
    expect(task.id).not.toBe(pair.turn.taskId);
    expect(task.contextId).not.toBe(pair.turn.contextId);
  });

  it('sends and gets the task at once', async () => {
    const pair = pairOf();
    const task = await pair.begin();
    expect(['SUBMITTED', 'WORKING']).toContain(stateOf(task));
    await pair.cancel(task.id);
  });

  it('streams a task from its snapshot to its end', async () => {
    const pair = pairOf();
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
    const appended = isLegacyProto(client) ? [false, false] : [false, true];
    expect(chunks.map(({ append }) => append)).toEqual(appended);
  });

  it('gets a task with as much history as asked for', async () => {
    const pair = pairOf();
    const { id } = await pair.send('history');
    const texts = async (length?: number): Promise<string[]> =>
      (await pair.get(id, length)).history.map(({ parts }) => textOf(parts));
    expect(await texts()).toEqual(['history', 'thinking']);
    expect(await texts(1)).toEqual(['thinking']);
    // In gRPC 0.3 a length of 0 is an absent one.
    const none = named(client) === 'GRPC 0.3' ? ['history', 'thinking'] : [];
    expect(await texts(0)).toEqual(none);
  });

  it(client.version === '1.0' ? 'lists its tasks' : 'has no list in this version', async () => {
    const pair = pairOf();
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
    if (client.version === '0.3') {
      await expect(listing).rejects.toThrow(/method not found|no equivalent/i);
      return;
    }
    const { tasks, totalSize } = await listing;
    expect(tasks.map(({ id }) => id)).toEqual([task.id]);
    expect(textOf(tasks[0]!.artifacts[0]?.parts)).toBe('first second of listed');
    expect(totalSize).toBe(1);
  });

  it('cancels a running task, at the agent too', async () => {
    const pair = pairOf();
    const { id } = await pair.begin();
    const { turn } = pair;
    expect(stateOf(await pair.cancel(id))).toBe('CANCELED');
    expect(turn.canceled.signal.aborted).toBe(true);
    expect(stateOf(await pair.get(id))).toBe('CANCELED');
  });

  it('subscribes to a running task: a snapshot, then every event to the end', async () => {
    const pair = pairOf();
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
    const pair = pairOf();
    const requested = await pair.send('ask');
    expect(stateOf(requested)).toBe('INPUT_REQUIRED');
    expect(textOf(requested.status?.message?.parts)).toBe('Which one?');
    const before = pair.turn.taskId;
    const { id: taskId, contextId } = requested;
    const done = await pair.send('the left one', { taskId, contextId });
    expect(done).toMatchObject({ id: taskId, contextId });
    expect(stateOf(done)).toBe('COMPLETED');
    expect(textOf(done.artifacts[0]?.parts)).toBe('you said the left one');
    expect(pair.turn.taskId).toBe(before);
  });

  it('gets a plain message as a message, sent and streamed', async () => {
    const pair = pairOf();
    const answer = (await pair.client.sendMessage(pair.to('reply'))) as Message;
    expect(textOf(answer.parts)).toBe('just a message');
    expect(answer.contextId).not.toBe('');
    const events = await collect(pair.client.sendMessageStream(pair.to('reply')));
    expect(kindsOf(events)).toEqual(['message']);
  });
}

/** What every client is told alike, in its own classes of errors. */
export function describeErrors(pairOf: () => Pair): void {
  it('gets the same errors', async () => {
    const pair = pairOf();
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
}
