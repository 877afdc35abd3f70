import { describe, expect, it } from '@jest/globals';
import { type Artifact, type StreamResponse, type Task, TaskState } from '../../protocol/a2a.js';
import { agentMessage, artifactUpdate, statusUpdate } from '../../protocol/build.js';
import { emptyTask } from '../../protocol/task-reducer.js';
import { TerminalHold } from './terminal-hold.js';

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

function textOf(held: TerminalHold): string | undefined {
  const [event] = held.release();
  const payload = event?.payload;
  if (payload?.$case !== 'task' && payload?.$case !== 'statusUpdate') return undefined;
  const content = payload.value.status?.message?.parts[0]?.content;
  return `${payload.$case} ${content?.$case === 'text' ? content.value : ''}`.trim();
}

describe('the end that a stream tells', () => {
  it('is held; what comes before passes, as the same list while there is none', () => {
    const held = new TerminalHold();
    const events = [chunk(), chunk()];
    expect(held.filter(events)).toBe(events);
    expect(held.isHolding).toBe(false);
    expect(held.filter([...events, status(COMPLETED, 'done')])).toEqual(events);
    expect(held.filter([status(TaskState.TASK_STATE_WORKING)])).toEqual([]);
    expect(held).toMatchObject({ isHolding: true, isDecided: false });
    expect(textOf(held)).toBe('statusUpdate done');
  });

  it('is one with the whole task that follows, with the words of whichever has some', () => {
    const wordy = new TerminalHold();
    wordy.filter([status(COMPLETED, 'said with the end')]);
    wordy.filter([whole(COMPLETED)]);
    expect(wordy).toMatchObject({ isDecided: true, hasTask: true, conflict: undefined });
    expect(textOf(wordy)).toBe('task said with the end');
    const other = new TerminalHold();
    other.filter([status(COMPLETED, 'short'), whole(COMPLETED, 't', 'whole')]);
    expect(textOf(other)).toBe('task whole');
  });

  it('outlives a task that has not seen it', () => {
    const held = new TerminalHold();
    held.filter([status(FAILED, 'broken'), whole(TaskState.TASK_STATE_WORKING)]);
    expect(held.conflict).toBeUndefined();
    expect(textOf(held)).toBe('task broken');
  });

  it.each([
    ['a status', status(FAILED)],
    ['a task', whole(FAILED)],
  ])('cannot be another one as well: %s', (_, second) => {
    const held = new TerminalHold();
    held.filter([status(COMPLETED), second]);
    expect(held.conflict).toBe('the agent ended its task twice, as completed and as failed.');
  });

  it('is not touched by another task, nor by being told again', () => {
    const held = new TerminalHold();
    const other = { taskId: 'o', contextId: 'c' };
    held.filter([status(COMPLETED, 'done'), whole(FAILED, 'o'), status(FAILED, '', other)]);
    held.filter([status(COMPLETED, 'again')]);
    expect(held).toMatchObject({ isDecided: false, conflict: undefined });
    expect(textOf(held)).toBe('statusUpdate done');
  });

  it('goes behind the artifacts that come too late, unless the agent is asked for its task', () => {
    const disordered = (): TerminalHold => {
      const held = new TerminalHold();
      held.filter([status(COMPLETED), chunk()]);
      held.filter([chunk()]);
      expect(held).toMatchObject({ outOfOrderTaskId: 't', isDecided: false });
      return held;
    };
    const kinds = (held: TerminalHold) => held.release().map(({ payload }) => payload?.$case);
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
    const held = new TerminalHold();
    held.filter([status(COMPLETED, '', { taskId: 'o', contextId: 'c' }), chunk()]);
    expect(held.outOfOrderTaskId).toBeUndefined();
    const full = new TerminalHold();
    full.filter([status(COMPLETED), ...Array.from({ length: 300 }, () => chunk())]);
    expect(full.release()).toHaveLength(257);
  });

  it('keeps nothing behind one that is too large: no artifact has a hole', () => {
    const held = new TerminalHold();
    held.filter([status(COMPLETED), chunk(), chunk('x'.repeat(1024 * 1024)), chunk()]);
    held.filter([chunk()]);
    expect(held.release()).toHaveLength(2);
  });
});
