import { describe, expect, it } from '@jest/globals';
import { type Artifact, type StreamResponse, type Task, TaskState } from '../../protocol/a2a.js';
import { agentMessage, artifactUpdate, statusUpdate } from '../../protocol/build.js';
import { emptyTask } from '../../protocol/task-reducer.js';
import { DeferredEnd } from './deferred-end.js';

const REF = { taskId: 't', contextId: 'c' };
const { TASK_STATE_COMPLETED: COMPLETED, TASK_STATE_FAILED: FAILED } = TaskState;

function status(state: TaskState, text?: string, ref = REF): StreamResponse {
  const message = text === undefined ? undefined : agentMessage('m', ref, text);
  return { payload: statusUpdate(ref, state, new Date(0), message) };
}

function artifact(artifactId: string, description = ''): Artifact {
  return { artifactId, name: '', description, parts: [], metadata: undefined, extensions: [] };
}

function chunk(description?: string): StreamResponse {
  const update = { artifact: artifact('a', description), append: false, lastChunk: false };
  return { payload: artifactUpdate(REF, update) };
}

function whole(state: TaskState, id = 't', text?: string): StreamResponse {
  const value = emptyTask(id, 'c');
  const message = text === undefined ? undefined : agentMessage('w', REF, text);
  value.status = { state, message, timestamp: undefined };
  return { payload: { $case: 'task', value } };
}

function emptyTaskIn(state: TaskState): Task {
  return { ...emptyTask('t', 'c'), status: { state, message: undefined, timestamp: undefined } };
}

function textOf(deferred: DeferredEnd): string | undefined {
  const [event] = deferred.release();
  const payload = event?.payload;
  if (payload?.$case !== 'task' && payload?.$case !== 'statusUpdate') return undefined;
  const content = payload.value.status?.message?.parts[0]?.content;
  return `${payload.$case} ${content?.$case === 'text' ? content.value : ''}`.trim();
}

describe('the end that a stream tells', () => {
  it('is deferred; what comes before passes, as the same list while there is none', () => {
    const deferred = new DeferredEnd();
    const events = [chunk(), chunk()];
    expect(deferred.filter(events)).toBe(events);
    expect(deferred.isDeferring).toBe(false);
    expect(deferred.filter([...events, status(COMPLETED, 'done')])).toEqual(events);
    expect(deferred.filter([status(TaskState.TASK_STATE_WORKING)])).toEqual([]);
    expect(deferred).toMatchObject({ isDeferring: true, isDecided: false });
    expect(textOf(deferred)).toBe('statusUpdate done');
  });

  it('is one with the whole task that follows, with the words of whichever has some', () => {
    const wordy = new DeferredEnd();
    wordy.filter([status(COMPLETED, 'said with the end')]);
    wordy.filter([whole(COMPLETED)]);
    expect(wordy).toMatchObject({ isDecided: true, hasTask: true, conflict: undefined });
    expect(textOf(wordy)).toBe('task said with the end');
    const other = new DeferredEnd();
    other.filter([status(COMPLETED, 'short'), whole(COMPLETED, 't', 'whole')]);
    expect(textOf(other)).toBe('task whole');
  });

  it('outlives a task that has not seen it', () => {
    const deferred = new DeferredEnd();
    deferred.filter([status(FAILED, 'broken'), whole(TaskState.TASK_STATE_WORKING)]);
    expect(deferred.conflict).toBeUndefined();
    expect(textOf(deferred)).toBe('task broken');
  });

  it.each([
    ['a status', status(FAILED)],
    ['a task', whole(FAILED)],
  ])('cannot be another one as well: %s', (_, second) => {
    const deferred = new DeferredEnd();
    deferred.filter([status(COMPLETED), second]);
    expect(deferred.conflict).toBe('the agent ended its task twice, as completed and as failed.');
  });

  it('is not touched by another task, nor by being repeated', () => {
    const deferred = new DeferredEnd();
    const other = { taskId: 'o', contextId: 'c' };
    deferred.filter([status(COMPLETED, 'done'), whole(FAILED, 'o'), status(FAILED, '', other)]);
    deferred.filter([status(COMPLETED, 'again')]);
    expect(deferred).toMatchObject({ isDecided: false, conflict: undefined });
    expect(textOf(deferred)).toBe('statusUpdate done');
  });

  it('goes behind the artifacts that come too late, unless the agent is asked for its task', () => {
    const disordered = (): DeferredEnd => {
      const deferred = new DeferredEnd();
      deferred.filter([status(COMPLETED), chunk()]);
      deferred.filter([chunk()]);
      expect(deferred).toMatchObject({ isOutOfOrder: true, endedTaskId: 't', isDecided: false });
      return deferred;
    };
    const kinds = (deferred: DeferredEnd) =>
      deferred.release().map(({ payload }) => payload?.$case);
    const late = ['artifactUpdate', 'artifactUpdate', 'statusUpdate'];
    expect(kinds(disordered())).toEqual(late);
    const requested = disordered();
    requested.resolve(emptyTaskIn(COMPLETED));
    expect(kinds(requested)).toEqual(['task']);
    const differs = disordered();
    differs.resolve(emptyTaskIn(FAILED));
    expect(kinds(differs)).toEqual(late);
  });

  it('keeps no more than 256 of them, and none of another task', () => {
    const deferred = new DeferredEnd();
    deferred.filter([status(COMPLETED, '', { taskId: 'o', contextId: 'c' }), chunk()]);
    expect(deferred).toMatchObject({ isOutOfOrder: false, endedTaskId: 'o' });
    const full = new DeferredEnd();
    full.filter([status(COMPLETED), ...Array.from({ length: 300 }, () => chunk())]);
    expect(full.release()).toHaveLength(257);
  });

  it('keeps nothing behind one that is too large: no artifact has a hole', () => {
    const deferred = new DeferredEnd();
    deferred.filter([status(COMPLETED), chunk(), chunk('x'.repeat(1024 * 1024)), chunk()]);
    deferred.filter([chunk()]);
    expect(deferred.release()).toHaveLength(2);
  });
});
