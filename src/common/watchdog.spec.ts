import { describe, expect, it } from '@jest/globals';
import { SettableClock } from './fake-settable-clock.js';
import { Watchdog } from './watchdog.js';

/** Stands still until it is moved; counts the sleeps. */
class StillClock extends SettableClock {
  sleeps = 0;
  private wakers: { at: number; wake: () => void }[] = [];
  private jumpedMs = 0;

  override now(): Date {
    return new Date(this.ms + this.jumpedMs);
  }

  /** As when the time of the machine is set. */
  jump(ms: number): void {
    this.jumpedMs += ms;
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps += 1;
    return new Promise((resolve) => {
      this.wakers.push({ at: this.ms + ms, wake: resolve });
      signal?.addEventListener('abort', () => resolve());
    });
  }

  async moveTo(time: number): Promise<void> {
    this.ms = time;
    for (const { at, wake } of this.wakers) if (at <= time) wake();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
}

function watch(): { clock: StillClock; watchdog: Watchdog; expired: () => number } {
  const clock = new StillClock(0);
  let times = 0;
  const watchdog = new Watchdog(clock, () => (times += 1));
  return { clock, watchdog, expired: () => times };
}

describe('Watchdog', () => {
  it('expires once when it is not armed again in time', async () => {
    const { clock, watchdog, expired } = watch();
    watchdog.arm(100);
    await clock.moveTo(99);
    expect(expired()).toBe(0);
    await clock.moveTo(100);
    await clock.moveTo(1000);
    expect(expired()).toBe(1);
  });

  it('sleeps once however often it is armed', async () => {
    const { clock, watchdog, expired } = watch();
    for (let time = 0; time < 100; time++) {
      clock.ms = time;
      watchdog.arm(100);
    }
    expect(clock.sleeps).toBe(1);
    await clock.moveTo(100);
    expect(expired()).toBe(0);
    await clock.moveTo(199);
    expect(expired()).toBe(1);
  });

  it('takes no notice of a clock that is set forward or back', async () => {
    const { clock, watchdog, expired } = watch();
    watchdog.arm(100);
    clock.jump(3_600_000);
    await clock.moveTo(clock.ms + 99);
    watchdog.arm(100);
    clock.jump(-7_200_000);
    await clock.moveTo(clock.ms + 99);
    expect(expired()).toBe(0);
    await clock.moveTo(clock.ms + 1);
    expect(expired()).toBe(1);
  });

  it('can be armed for less than before, disarmed, and armed again', async () => {
    const { clock, watchdog, expired } = watch();
    watchdog.arm(1000);
    watchdog.arm(10);
    await clock.moveTo(10);
    expect(expired()).toBe(1);
    watchdog.arm(10);
    watchdog.disarm();
    await clock.moveTo(100);
    expect(expired()).toBe(1);
    watchdog.arm(10);
    await clock.moveTo(110);
    expect(expired()).toBe(2);
  });
});
