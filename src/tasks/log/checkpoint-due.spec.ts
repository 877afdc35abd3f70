import { describe, expect, it } from '@jest/globals';
import { TaskState } from '../../protocol/a2a.js';
import { checkpointDue } from './checkpoint-due.js';

const { TASK_STATE_WORKING, TASK_STATE_COMPLETED, TASK_STATE_INPUT_REQUIRED } = TaskState;
const MIB = 1024 * 1024;

describe('checkpointDue', () => {
  const little = { events: 1, size: 100, repeated: 0, checkpointSize: 0 };
  const running = (since: Partial<typeof little>): boolean =>
    checkpointDue(TASK_STATE_WORKING, TASK_STATE_WORKING, { ...little, ...since });

  it('is true when a task stops running, and not while it goes on waiting', () => {
    const some = { ...little, events: 9 };
    expect(checkpointDue(TASK_STATE_WORKING, TASK_STATE_COMPLETED, some)).toBe(true);
    expect(checkpointDue(TASK_STATE_WORKING, TASK_STATE_INPUT_REQUIRED, some)).toBe(true);
    expect(checkpointDue(TASK_STATE_INPUT_REQUIRED, TASK_STATE_INPUT_REQUIRED, some)).toBe(false);
    expect(checkpointDue(TASK_STATE_INPUT_REQUIRED, TASK_STATE_WORKING, some)).toBe(false);
  });

  it('is false for a short log without one, which is read as fast', () => {
    const short = { ...little, events: 8, size: 8 * 1024 };
    const ends = (since: typeof little): boolean =>
      checkpointDue(TASK_STATE_WORKING, TASK_STATE_COMPLETED, since);
    expect(ends(short)).toBe(false);
    expect(ends({ ...short, events: 9 })).toBe(true);
    expect(ends({ ...short, size: short.size + 1 })).toBe(true);
    expect(ends({ ...short, checkpointSize: 100 })).toBe(true);
  });

  it('is true on the way after 256 events or 1 MiB', () => {
    expect(running({ events: 255 })).toBe(false);
    expect(running({ events: 256 })).toBe(true);
    expect(running({ events: 100, size: MIB - 1 })).toBe(false);
    expect(running({ events: 100, size: MIB })).toBe(true);
  });

  it('waits on the way until the log has grown by half of a large checkpoint', () => {
    const large = { events: 256, checkpointSize: 2 * MIB };
    expect(running(large)).toBe(false);
    expect(running({ ...large, size: MIB - 1 })).toBe(false);
    expect(running({ ...large, size: MIB })).toBe(true);
  });

  it('writes no large text once more: of few large events, or over 4 MiB', () => {
    const ended = (since: Partial<typeof little>): boolean =>
      checkpointDue(TASK_STATE_WORKING, TASK_STATE_COMPLETED, { ...little, ...since });
    expect(ended({ events: 3, size: 2 * MIB })).toBe(false);
    expect(ended({ events: 300, size: 2 * MIB })).toBe(true);
    expect(ended({ events: 3000, size: 5 * MIB })).toBe(false);
    expect(ended({ events: 1, checkpointSize: 5 * MIB })).toBe(false);
    expect(running({ events: 3000, size: 5 * MIB })).toBe(false);
  });

  it('is true of a large task whose log repeats what it has: it gets shorter by it', () => {
    const twice = { events: 2, size: 12 * MIB, repeated: 6 * MIB };
    expect(running(twice)).toBe(true);
    expect(running({ ...twice, repeated: 3 * MIB })).toBe(false);
  });

  it('is true of a large task after 8 MiB of small events: their envelopes must not count for ever', () => {
    const tokens = { events: 30_000, size: 8 * MIB, checkpointSize: 6 * MIB };
    expect(running(tokens)).toBe(true);
    expect(running({ ...tokens, size: 8 * MIB - 1 })).toBe(false);
    expect(running({ ...tokens, events: 100 })).toBe(false);
    expect(running({ ...tokens, checkpointSize: 20 * MIB })).toBe(false);
  });

  it('writes no large checkpoint again for a little that is repeated', () => {
    const round = { events: 2, size: 1000, repeated: 900, checkpointSize: 30 * MIB };
    expect(checkpointDue(TASK_STATE_WORKING, TASK_STATE_INPUT_REQUIRED, round)).toBe(false);
    const replaced = { ...round, size: 30 * MIB, repeated: 30 * MIB };
    expect(checkpointDue(TASK_STATE_WORKING, TASK_STATE_INPUT_REQUIRED, replaced)).toBe(true);
  });
});
