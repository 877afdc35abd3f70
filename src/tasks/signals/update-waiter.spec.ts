import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../common/clock.js';
import { InProcessSignals } from './in-process-signals.js';
import { UpdateWaiter } from './update-waiter.js';

const PACE = { firstMs: 20, maxMs: 40 };

class SettableClock extends SystemClock {
  offsetMs = 0;

  override now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }
}

describe('UpdateWaiter', () => {
  it('wakes at an update of its task, and at once when the update came before', async () => {
    const signals = new InProcessSignals();
    const waiter = new UpdateWaiter(signals, 'a', new SystemClock(), {
      firstMs: 10_000,
      maxMs: 10_000,
    });
    signals.taskChanged('a', 1);
    await waiter.wait();
    const waiting = waiter.wait();
    signals.taskChanged('b', 1);
    signals.taskChanged('a', 2);
    await waiting;
    waiter.close();
  });

  it('looks by itself when no notification comes, but not beyond the limit it is given', async () => {
    const looking = new UpdateWaiter(new InProcessSignals(), 'a', new SystemClock(), PACE);
    await looking.wait();
    looking.close();
    const seldom = { firstMs: 10_000_000, maxMs: 10_000_000 };
    const limited = new UpdateWaiter(new InProcessSignals(), 'a', new SystemClock(), seldom);
    await limited.wait(5);
    limited.close();
  });

  it('looks although the clock is set back meanwhile', async () => {
    const clock = new SettableClock();
    const waiter = new UpdateWaiter(new InProcessSignals(), 'a', clock, PACE);
    const waiting = waiter.wait();
    clock.offsetMs = -3_600_000;
    await waiting;
    await waiter.wait();
    waiter.close();
  });

  it('wakes every reader when the process is going to stop', async () => {
    const draining = new AbortController();
    const pace = { firstMs: 10_000, maxMs: 10_000 };
    const waiter = new UpdateWaiter(new InProcessSignals(), 'a', new SystemClock(), pace, [
      draining.signal,
    ]);
    const waiting = waiter.wait();
    draining.abort();
    await waiting;
    expect(waiter.stopped).toBe(true);
    waiter.close();
  });
});
