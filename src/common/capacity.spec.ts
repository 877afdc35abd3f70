import { describe, expect, it } from '@jest/globals';
import { capacityOf, runLimits, type Machine } from './capacity.js';

const GIB = 1024 ** 3;
const LARGE: Machine = { memoryBytes: 64 * GIB, heapBytes: 8 * GIB, openFiles: Infinity };

describe('how many delegations a machine can run', () => {
  it.each([
    ['a large machine', {}, 10_000, 'itself'],
    ['1 GiB of memory', { memoryBytes: GIB }, 2621, 'memory'],
    ['a heap of 512 MiB', { heapBytes: GIB / 2 }, 2048, 'heap'],
    ['4096 open files', { openFiles: 4096 }, 1792, 'open files'],
    ['few open files', { openFiles: 256 }, 64, 'open files'],
    ['hardly anything', { openFiles: 8, memoryBytes: 1 }, 16, 'memory'],
  ] as const)('%s', (_, some, runs, limitedBy) => {
    expect(capacityOf({ ...LARGE, ...some })).toEqual({ runs, limitedBy });
  });

  it('is what the settings say, where they do', () => {
    expect(runLimits({ maxConcurrent: 8, maxPerAgent: 0 })).toEqual({
      runs: 8,
      limitedBy: 'tasks.maxConcurrent',
      perAgent: 6,
    });
    expect(runLimits({ maxConcurrent: 8, maxPerAgent: 3 }).perAgent).toBe(3);
    const derived = runLimits({ maxConcurrent: 0, maxPerAgent: 0 });
    expect(derived.runs).toBeGreaterThanOrEqual(16);
    expect(derived.perAgent).toBe(Math.ceil(derived.runs * 0.75));
    expect(derived.limitedBy).not.toBe('tasks.maxConcurrent');
  });
});
