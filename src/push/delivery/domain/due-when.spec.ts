import { describe, expect, it } from '@jest/globals';
import { TaskState } from '../../../protocol/a2a.js';
import { dueWhen, type LogEntry } from './delivery-plan.js';

const NOTHING = { state: null, endedDelegation: null, artifact: null };
const PIECE = { id: 'a', delegationId: null, append: true, lastChunk: false };
const CHUNK: LogEntry = { kind: 'artifact', header: { ...NOTHING, artifact: PIECE } };
const LAST: LogEntry = {
  kind: 'artifact',
  header: { ...NOTHING, artifact: { ...PIECE, lastChunk: true } },
};
const MESSAGE: LogEntry = { kind: 'message', header: NOTHING };
const HELD: LogEntry = { ...LAST, kind: 'held' };
const WORKING: LogEntry = {
  kind: 'status',
  header: { ...NOTHING, state: TaskState.TASK_STATE_WORKING },
};

describe('dueWhen', () => {
  it('asks nothing of anybody for chunks, so that they cost no statement', () => {
    expect(dueWhen([CHUNK, CHUNK])).toBeNull();
    expect(dueWhen([MESSAGE, HELD], true)).toBeNull();
  });

  it('wakes only streams that deliver every event for a chunk', () => {
    expect(dueWhen([CHUNK], true)).toBe('every');
  });

  it('wakes all alike for what concerns all', () => {
    for (const everyEvent of [false, true]) {
      expect(dueWhen([CHUNK, LAST], everyEvent)).toBe('always');
      expect(dueWhen([CHUNK, WORKING], everyEvent)).toBe(TaskState.TASK_STATE_WORKING);
    }
  });
});
