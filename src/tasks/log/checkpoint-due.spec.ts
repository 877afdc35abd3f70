import { describe, expect, it } from '@jest/globals';
import { TaskState } from '../../protocol/a2a.js';
import { checkpointDue } from './checkpoint-due.js';

const { TASK_STATE_WORKING, TASK_STATE_COMPLETED, TASK_STATE_INPUT_REQUIRED } = TaskState;
const MIB = 1024 * 1024;

describe('checkpointDue', () => {
  const little = { events: 1, size: 100, checkpointSize: 0 };
  const running = (since: Partial<typeof little>): boolean =>
    checkpointDue(TASK_STATE_WORKING, TASK_STATE_WORKING, { ...little, ...since });

  it('is true when a task stops running, and not while it goes on waiting', () => {
    expect(checkpointDue(TASK_STATE_WORKING, TASK_STATE_COMPLETED, little)).toBe(true);
    expect(checkpointDue(TASK_STATE_WORKING, TASK_STATE_INPUT_REQUIRED, little)).toBe(true);
    expect(checkpointDue(TASK_STATE_INPUT_REQUIRED, TASK_STATE_INPUT_REQUIRED, little)).toBe(false);
    expect(checkpointDue(TASK_STATE_INPUT_REQUIRED, TASK_STATE_WORKING, little)).toBe(false);
  });

  it('is true on the way after 256 events or 1 MiB', () => {
    expect(running({ events: 255 })).toBe(false);
    expect(running({ events: 256 })).toBe(true);
    expect(running({ size: MIB - 1 })).toBe(false);
    expect(running({ size: MIB })).toBe(true);
  });

  it('waits on the way until the log has grown by half of a large checkpoint', () => {
    expect(running({ events: 256, checkpointSize: 10 * MIB })).toBe(false);
    expect(running({ size: 5 * MIB - 1, checkpointSize: 10 * MIB })).toBe(false);
    expect(running({ size: 5 * MIB, checkpointSize: 10 * MIB })).toBe(true);
  });
});
