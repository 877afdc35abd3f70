import { describe, expect, it } from '@jest/globals';
import { TimedClock } from '../common/fake-timed-clock.js';
import { HeldLease, LEASE_MS, leaseUntil } from './held-lease.js';

const EVERY_MS = LEASE_MS / 4;
const never = new Promise<boolean>(() => undefined);

/** A lease taken now, what its store was asked, and what it answers: the last answer again and again. */
function held(...answers: (() => Promise<boolean>)[]) {
  const clock = new TimedClock();
  const asked: number[] = [];
  const lease = new HeldLease(clock, leaseUntil(clock), (until) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)]!;
    asked.push(until.getTime() - clock.ms);
    return answer();
  });
  return { clock, asked, lease };
}

const mine = () => Promise.resolve(true);
const away = () => Promise.reject(new Error('the database is away'));

describe('HeldLease', () => {
  it('renews, through a failure, until the lease is lost', async () => {
    const { clock, asked, lease } = held(mine, away, mine, () => Promise.resolve(false));
    await clock.elapse(3 * EVERY_MS);
    expect([asked, lease.isLost.aborted]).toEqual([[LEASE_MS, LEASE_MS, LEASE_MS], false]);
    await clock.elapse(EVERY_MS);
    expect([asked.length, lease.isLost.aborted]).toEqual([4, true]);
    await clock.elapse(10 * LEASE_MS);
    expect(asked).toHaveLength(4);
  });

  it.each([
    ['fail', away],
    ['have no answer', () => never],
  ])('is lost when renewals %s until it is over', async (_, answer) => {
    const { clock, lease } = held(mine, answer);
    await clock.elapse(EVERY_MS + LEASE_MS - 1);
    expect(lease.isLost.aborted).toBe(false);
    await clock.elapse(1);
    expect(lease.isLost.aborted).toBe(true);
  });

  it('is lost as soon where the clock was set back', async () => {
    const { clock, lease } = held(away);
    clock.ms -= 100 * LEASE_MS;
    await clock.elapse(LEASE_MS - 1);
    expect(lease.isLost.aborted).toBe(false);
    await clock.elapse(LEASE_MS);
    expect(lease.isLost.reason).toBe('over');
  });

  it('renews no more once it is over, whoever calls for it', async () => {
    const { clock, asked, lease } = held(away);
    // One that would be renewed at the moment in which it is over.
    await clock.elapse(LEASE_MS);
    expect([asked.length, lease.isLost.reason]).toEqual([3, 'over']);
    expect(await lease.renew()).toBe(false);
    expect(asked).toHaveLength(3);
  });

  it('lasts longer with what else renews it', async () => {
    const { clock, lease } = held(mine, away);
    await clock.elapse(EVERY_MS - 1);
    await lease.renew();
    await clock.elapse(LEASE_MS - 1);
    expect(lease.isLost.aborted).toBe(false);
    await clock.elapse(1);
    expect(lease.isLost.aborted).toBe(true);
  });

  it('renews no more once it has stopped, which waits for what is under way', async () => {
    let answer: (isMine: boolean) => void = () => undefined;
    const { clock, asked, lease } = held(() => new Promise((resolve) => (answer = resolve)));
    await clock.elapse(EVERY_MS);
    let isStopped = false;
    const stopped = lease.stop().then(() => (isStopped = true));
    await clock.elapse(0);
    expect(isStopped).toBe(false);
    answer(true);
    await stopped;
    await clock.elapse(10 * LEASE_MS);
    expect([asked.length, lease.isLost.aborted]).toEqual([1, false]);
  });
});
