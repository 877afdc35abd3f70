import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EMPTY_HEADER } from '../domain/event-header.js';
import type { TaskEvent } from '../task.js';
import { RecentEvents } from './recent-events.js';

function event(seq: number, size = 10): TaskEvent {
  const body = 'x'.repeat(size);
  return { taskId: 't', seq, kind: 'artifact', at: new Date(0), header: EMPTY_HEADER, body };
}

describe('RecentEvents', () => {
  it('gives what the whole log has after any number, or nothing at all', () => {
    const commits = fc.array(fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: 20 }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(fc.nat({ max: 50 }), commits, fc.nat({ max: 60 }), (first, sizes, limit) => {
        const recent = new RecentEvents(first);
        const log: TaskEvent[] = [];
        for (const commit of sizes) {
          const events = commit.map((size, index) => event(first + log.length + index + 1, size));
          log.push(...events);
          recent.add(events);
        }
        for (let seq = 0; seq <= first + log.length; seq++) {
          const known = recent.after(seq, limit);
          if (seq < first) expect(known).toBeUndefined();
          else if (known) expect(known).toEqual(log.slice(seq - first).slice(0, limit));
        }
        expect(recent.after(first + log.length, limit)).toEqual([]);
        expect(recent.size).toBeLessThanOrEqual(16 * 1024);
      }),
    );
  });

  it('keeps the last events, and none that is large', () => {
    const recent = new RecentEvents(2);
    for (let seq = 3; seq <= 100; seq++) recent.add([event(seq)]);
    expect(recent.after(68, 200)?.map(({ seq }) => seq)).toHaveLength(32);
    expect(recent.after(67, 200)).toBeUndefined();
    recent.add([event(101, 1_000_000)]);
    expect(recent.size).toBe(0);
    expect(recent.after(100, 200)).toBeUndefined();
    expect(recent.after(101, 200)).toEqual([]);
  });
});
