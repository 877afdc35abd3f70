import { describe, expect, it } from '@jest/globals';
import { HeldLease } from './held-lease.js';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Has one timer at a time. */
class OneTimer {
  private call: (() => void) | undefined;

  after(ms: number, call: () => void): () => void {
    expect([ms, this.call]).toEqual([1000, undefined]);
    this.call = call;
    return () => (this.call = undefined);
  }

  elapse(): void {
    const { call } = this;
    this.call = undefined;
    call?.();
  }
}

describe('HeldLease', () => {
  it('renews, through failures, until the lease is lost', async () => {
    const clock = new OneTimer();
    const answers = [true, new Error('the database is away'), true, false];
    let asked = 0;
    const lease = new HeldLease(clock, 1000, () => {
      const answer = answers[asked++]!;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    });
    for (let tick = 1; tick <= answers.length; tick++) {
      expect(lease.isLost.aborted).toBe(false);
      clock.elapse();
      await settled();
      expect(asked).toBe(tick);
    }
    expect(lease.isLost.aborted).toBe(true);
    clock.elapse();
    await settled();
    expect(asked).toBe(answers.length);
  });

  it('renews no more once it has stopped, which waits for what is under way', async () => {
    const clock = new OneTimer();
    let answer: (isMine: boolean) => void = () => undefined;
    let asked = 0;
    const lease = new HeldLease(clock, 1000, () => {
      asked += 1;
      return new Promise((resolve) => (answer = resolve));
    });
    clock.elapse();
    let isStopped = false;
    const stopped = lease.stop().then(() => (isStopped = true));
    await settled();
    expect(isStopped).toBe(false);
    answer(true);
    await stopped;
    clock.elapse();
    await settled();
    expect(asked).toBe(1);
  });
});
