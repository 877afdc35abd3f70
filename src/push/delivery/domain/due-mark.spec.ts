import { describe, expect, it } from '@jest/globals';
import { TaskState } from '../../../protocol/a2a.js';
import { dueWhen } from './due-mark.js';

const CHUNK = { kind: 'artifact', body: '{"artifactUpdate":{"append":true}}' } as const;
const LAST = { kind: 'artifact', body: '{"artifactUpdate":{"lastChunk":true}}' } as const;
const MESSAGE = { kind: 'message', body: '{"message":{}}' } as const;
const HELD = { kind: 'held', body: '{"artifactUpdate":{}}' } as const;
const WORKING = {
  kind: 'status',
  body: '{"statusUpdate":{"status":{"state":"TASK_STATE_WORKING"}}}',
} as const;

describe('dueWhen', () => {
  it('asks nothing of anybody for chunks, so that they cost no statement', () => {
    expect(dueWhen([CHUNK, CHUNK])).toBeNull();
    expect(dueWhen([MESSAGE, HELD], true)).toBeNull();
  });

  it('wakes those told every event for a chunk, and nobody else', () => {
    expect(dueWhen([CHUNK], true)).toBe('every');
  });

  it('wakes all alike for what concerns all', () => {
    for (const everyEvent of [false, true]) {
      expect(dueWhen([CHUNK, LAST], everyEvent)).toBe('always');
      expect(dueWhen([CHUNK, WORKING], everyEvent)).toBe(TaskState.TASK_STATE_WORKING);
    }
  });
});
