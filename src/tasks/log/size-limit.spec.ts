import { describe, expect, it } from '@jest/globals';
import { sizeOf } from '../../common/long-work.js';
import { type Part, TaskState } from '../../protocol/a2a.js';
import { artifactUpdate, statusUpdate } from '../../protocol/build.js';
import { artifact, userMessage } from '../domain/fake-events.js';
import { NOW } from '../domain/fake-task.js';
import { firstUpdate } from '../send/new-task.js';
import type { NewEvent, TaskRecord } from '../task.js';
import { NEW_RECORD } from './fake-record.js';
import { LiveTask } from './live-task.js';
import { growthOfMetadata, MAX_LOG_FACTOR, TaskTooLargeError } from './size-limit.js';

const MAX_SIZE = 20_000;
const MIB = 1024 * 1024;
const TEXT = 'x'.repeat(10_000);
const REF = { taskId: 'task', contextId: 'context' };

function given(kind: 'held' | 'artifact', id: string, text = TEXT): NewEvent {
  const payload = artifactUpdate(REF, {
    artifact: artifact(id, text),
    append: false,
    lastChunk: true,
  });
  return { kind, payload };
}

function status(state: TaskState): NewEvent {
  return { kind: 'status', payload: statusUpdate(REF, state, NOW) };
}

function newLiveTask(record: TaskRecord, now: Date, maxSize: number): LiveTask {
  const live = LiveTask.unstarted(record, maxSize);
  live.apply(firstUpdate(record, userMessage('m1', 'hello'), {}, []), now);
  return live;
}

function liveTask(): LiveTask {
  const live = newLiveTask(NEW_RECORD, NOW, MAX_SIZE);
  live.take();
  return live;
}

describe('the size limit of a task', () => {
  it('is enough for a winner that takes more than half of it', () => {
    const live = liveTask();
    live.apply({ events: [given('held', 'w')] }, NOW);
    live.apply({ events: [given('artifact', 'w')] }, NOW);
    expect(live.take().checkpoint).not.toBeNull();
    live.apply({ events: [given('held', 'later', 'x')] }, NOW);
    expect(live.aggregate.task.artifacts).toHaveLength(1);
  });

  it('counts the metadata of a request to cancel as memory', () => {
    const live = liveTask();
    const before = live.memory;
    const cancelMetadata = { why: 'x'.repeat(50_000) };
    live.apply({ events: [], record: { cancelRequestedAt: NOW, cancelMetadata } }, NOW);
    expect(live.memory - before).toBeGreaterThan(50_000);
    expect(live.memory - before).toBeLessThan(51_000);
  });

  it('is enough for what is shown of a task as it ends without its result', () => {
    const live = liveTask();
    live.apply({ events: [given('held', 'a')] }, NOW);
    const ending = [given('artifact', 'a'), status(TaskState.TASK_STATE_FAILED)];
    live.apply({ events: ending }, NOW);
    expect(live.aggregate.record.state).toBe(TaskState.TASK_STATE_FAILED);
  });

  it('leaves a task that goes on 256 KiB of metadata, however often some of it is replaced', () => {
    const live = newLiveTask(NEW_RECORD, NOW, 64 * MIB);
    live.take();
    const noted = (state: TaskState, name: string): NewEvent => {
      const metadata = { [name]: 'x'.repeat(60 * 1024) };
      return { kind: 'status', payload: statusUpdate(REF, state, NOW, undefined, metadata) };
    };
    const working = (name: string): void => {
      live.apply({ events: [noted(TaskState.TASK_STATE_WORKING, name)] }, NOW);
    };
    for (const name of ['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd']) working(name);
    const { seq } = live.aggregate.record;
    expect(() => working('e')).toThrow(
      new TaskTooLargeError(
        'the metadata of the task would be larger than 256 KiB; send what is large in an artifact',
      ),
    );
    expect(live.aggregate.record.seq).toBe(seq);
    live.take();
    live.outline();
    expect(() => working('e')).toThrow(TaskTooLargeError);
    live.apply({ events: [noted(TaskState.TASK_STATE_COMPLETED, 'e')] }, NOW);
    expect(Object.keys(live.aggregate.task.metadata ?? {})).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('counts what events add to metadata, not what they repeat of it', () => {
    const known = { a: 'x'.repeat(100), b: { deep: ['y', 1, null] }, c: true };
    const changes = [{ a: 'z' }, { b: [], d: 'new' }, { d: 'newer' }, { e: {} }];
    const events = changes.map((metadata): NewEvent => {
      const payload = statusUpdate(REF, TaskState.TASK_STATE_WORKING, NOW, undefined, metadata);
      return { kind: 'status', payload };
    });
    const after = Object.assign({}, known, ...changes) as Record<string, unknown>;
    expect(growthOfMetadata(events, known)).toBe(sizeOf(after) - sizeOf(known));
    expect(growthOfMetadata(events, undefined)).toBe(
      sizeOf(Object.assign({}, ...changes)) - sizeOf(undefined),
    );
    expect(growthOfMetadata([status(TaskState.TASK_STATE_WORKING)], known)).toBe(0);
  });

  it('ends when the log is full of what was replaced, however small the task stays', () => {
    const live = newLiveTask(NEW_RECORD, NOW, 4 * MIB);
    live.take();
    let replaced = 0;
    expect(() => {
      for (; ; replaced++) {
        live.apply({ events: [given('artifact', 'a', 'x'.repeat(MIB))] }, NOW);
        live.take();
      }
    }).toThrow('the log of the task, with all that was replaced, would be larger than 32 MiB');
    // Each has its checkpoint.
    expect(replaced).toBe((4 * MAX_LOG_FACTOR) / 2);
    expect(live.aggregate.task.artifacts).toHaveLength(1);
    live.apply({ events: [status(TaskState.TASK_STATE_FAILED)] }, NOW);
    expect(live.aggregate.record.state).toBe(TaskState.TASK_STATE_FAILED);
  });

  it('is counted over all its log when the task is loaded again', () => {
    const stored = { aggregate: liveTask().aggregate, version: 1, checkpointSize: 0 };
    const full = {
      ...stored,
      eventsSince: 0,
      sizeSince: 0,
      repeatedSince: 0,
      checkpointValues: 0,
      valuesSince: 0,
      storedBytes: MAX_SIZE * MAX_LOG_FACTOR,
    };
    const live = new LiveTask(full, MAX_SIZE);
    expect(() => live.apply({ events: [given('artifact', 'a', 'x')] }, NOW)).toThrow(
      TaskTooLargeError,
    );
  });

  it('is enough for a task that only grows to its limit, with its checkpoints', () => {
    const live = newLiveTask(NEW_RECORD, NOW, 8 * MIB);
    live.take();
    const grow = (): void => {
      const chunk = artifactUpdate(REF, {
        artifact: artifact('a', 'x'.repeat(2000)),
        append: true,
        lastChunk: false,
      });
      live.apply({ events: [{ kind: 'artifact', payload: chunk }] }, NOW);
      live.take();
    };
    expect(() => {
      for (;;) grow();
    }).toThrow('the task would be larger than 8 MiB');
  });

  describe('in values', () => {
    const MANY =
      'the task would hold more than 500,000 values; send the same in fewer, larger chunks';
    // 40,000 empty objects with their commas: 80,000 values in 120 KB.
    const data = Array.from({ length: 40_000 }, () => ({}));
    const dataChunk = (kind: 'held' | 'artifact', id: string, append: boolean): NewEvent => ({
      kind,
      payload: artifactUpdate(REF, {
        artifact: { ...artifact(id, ''), parts: [part(data)] },
        append,
        lastChunk: false,
      }),
    });

    function filled(append: boolean, chunks: number): LiveTask {
      const live = newLiveTask(NEW_RECORD, NOW, 64 * MIB);
      live.take();
      for (let i = 0; i < chunks; i++) {
        live.apply({ events: [dataChunk('artifact', 'a', append)] }, NOW);
        live.take();
      }
      return live;
    }

    it('ends at 500,000 of them, however few characters they are; the task can still end', () => {
      const live = filled(true, 6);
      expect(() => live.apply({ events: [dataChunk('artifact', 'a', true)] }, NOW)).toThrow(MANY);
      expect(live.aggregate.task.artifacts[0]?.parts).toHaveLength(6);
      expect(live.size).toBeLessThan(2 * MIB);
      live.apply({ events: [status(TaskState.TASK_STATE_FAILED)] }, NOW);
      expect(live.aggregate.record.state).toBe(TaskState.TASK_STATE_FAILED);
    });

    it('refuses a message that has too many of them together with the others', () => {
      const live = filled(true, 6);
      const message = { ...userMessage('m2', ''), parts: [part(data)] };
      const event: NewEvent = { kind: 'message', payload: { $case: 'message', value: message } };
      expect(() => live.apply({ events: [event] }, NOW)).toThrow(MANY);
      expect(live.aggregate.task.history).toHaveLength(1);
    });

    it('is enough for one that is replaced again and again, and for held ones to be shown', () => {
      const live = filled(false, 30);
      live.apply({ events: [dataChunk('held', 'b', true)] }, NOW);
      live.apply({ events: [dataChunk('held', 'b', true)] }, NOW);
      const shown = [0, 1, 2, 3].map(() => dataChunk('artifact', 'b', false));
      live.apply({ events: shown }, NOW);
      expect(live.aggregate.task.artifacts).toHaveLength(2);
    });

    it('is enough for a hundred thousand chunks of text', () => {
      const live = newLiveTask(NEW_RECORD, NOW, 64 * MIB);
      live.take();
      const chunk = artifactUpdate(REF, {
        artifact: artifact('a', 'token'),
        append: true,
        lastChunk: false,
      });
      const events = Array.from({ length: 1000 }, () => ({
        kind: 'artifact' as const,
        payload: chunk,
      }));
      for (let i = 0; i < 100; i++) {
        live.apply({ events }, NOW);
        live.take();
      }
      expect(live.aggregate.task.artifacts[0]?.parts).toHaveLength(100_000);
    });

    it('is counted when the task is loaded again, in its checkpoint and in its log', () => {
      const stored = {
        aggregate: liveTask().aggregate,
        version: 1,
        checkpointSize: 0,
        eventsSince: 0,
        sizeSince: 0,
        repeatedSince: 0,
        storedBytes: 0,
      };
      const live = (checkpointValues: number, valuesSince: number): LiveTask =>
        new LiveTask({ ...stored, checkpointValues, valuesSince });
      const apply = (task: LiveTask): void =>
        task.apply({ events: [dataChunk('artifact', 'a', true)] }, NOW);
      expect(() => apply(live(300_000, 150_000))).toThrow(MANY);
      expect(() => apply(live(300_000, 100_000))).not.toThrow();
    });

    it('weighs in the memory that the task counts with', () => {
      const [live, empty] = [filled(true, 3), filled(true, 0)];
      const values = 3 * 80_000;
      expect(live.memory - empty.memory).toBeGreaterThan(64 * values);
      expect(live.size - empty.size).toBeLessThan(4 * values);
    });
  });

  it.each([
    ['shown', given('artifact', 'b')],
    ['held', given('held', 'b')],
  ])('ends at the limit for what is new, %s or not', (_, event) => {
    const live = liveTask();
    live.apply({ events: [given('held', 'a')] }, NOW);
    expect(() => live.apply({ events: [given('artifact', 'a'), event] }, NOW)).toThrow(
      TaskTooLargeError,
    );
    expect(live.aggregate.task.artifacts).toEqual([]);
  });
});

function part(value: unknown): Part {
  return { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: '' };
}
