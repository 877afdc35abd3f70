import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '../common/clock.js';
import { InProcessSignals } from './in-process-signals.js';
import { TaskBell } from './task-bell.js';

const PACE = { firstMs: 20, maxMs: 40 };

describe('TaskBell', () => {
  it('wakes at a ring of its task, and at once when the ring came before', async () => {
    const signals = new InProcessSignals();
    const bell = new TaskBell(signals, 'a', new SystemClock(), { firstMs: 10_000, maxMs: 10_000 });
    signals.taskChanged('a', 1);
    await bell.wait();
    const waiting = bell.wait();
    signals.taskChanged('b', 1);
    signals.taskChanged('a', 2);
    await waiting;
    bell.close();
  });

  it('looks by itself when no ring comes, but not beyond the limit it is given', async () => {
    const looking = new TaskBell(new InProcessSignals(), 'a', new SystemClock(), PACE);
    await looking.wait();
    looking.close();
    const seldom = { firstMs: 10_000_000, maxMs: 10_000_000 };
    const limited = new TaskBell(new InProcessSignals(), 'a', new SystemClock(), seldom);
    await limited.wait(5);
    limited.close();
  });

  it('wakes everybody when the process is going to stop', async () => {
    const draining = new AbortController();
    const pace = { firstMs: 10_000, maxMs: 10_000 };
    const bell = new TaskBell(new InProcessSignals(), 'a', new SystemClock(), pace, [
      draining.signal,
    ]);
    const waiting = bell.wait();
    draining.abort();
    await waiting;
    expect(bell.stopped).toBe(true);
    bell.close();
  });
});
