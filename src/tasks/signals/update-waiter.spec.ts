import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../common/clock.js';
import { InProcessSignals } from './in-process-signals.js';
import { UpdateWaiter } from './update-waiter.js';

const PACE = { firstMs: 20, maxMs: 40 };
const NEVER = { firstMs: 10_000_000, maxMs: 10_000_000 };

class SettableClock extends SystemClock {
  offsetMs = 0;

  override now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }
}

describe('UpdateWaiter', () => {
  it('wakes at an update of its task, and at once when the update came before', async () => {
    const signals = new InProcessSignals();
    const waiter = new UpdateWaiter(signals, 'a', new SystemClock(), NEVER);
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
    const limited = new UpdateWaiter(new InProcessSignals(), 'a', new SystemClock(), NEVER);
    await limited.wait(5);
    limited.close();
  });

  it('says whether a commit of its process has woken it, and looks less often then', async () => {
    const signals = new InProcessSignals();
    const pace = { firstMs: 1, ownMs: 10_000_000, maxMs: 10_000_000 };
    const waiter = new UpdateWaiter(signals, 'a', new SystemClock(), pace);
    expect(await waiter.wait()).toBe(false);
    waiter.notify();
    expect(await waiter.wait()).toBe(false);
    signals.taskChanged('a', 1);
    expect(await waiter.wait()).toBe(true);
    const waiting = waiter.wait();
    const first = await Promise.race([
      waiting.then(() => 'looked'),
      new Promise((resolve) => setTimeout(() => resolve('waits'), 30)),
    ]);
    expect(first).toBe('waits');
    signals.taskChanged('a', 2);
    expect(await waiting).toBe(true);
    waiter.close();
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
    const waiter = new UpdateWaiter(new InProcessSignals(), 'a', new SystemClock(), NEVER, [
      draining.signal,
    ]);
    const waiting = waiter.wait();
    draining.abort();
    await waiting;
    expect(waiter.stopped).toBe(true);
    waiter.close();
  });
});
