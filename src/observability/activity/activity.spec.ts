import { describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import { Activity, timeName } from './activity.js';

const NOON = Date.parse('2026-01-01T12:00:30Z');

describe('what is counted in memory', () => {
  it('is counted by the minute, for the whole hub and for whose it is', () => {
    const clock = new SettableClock(NOON);
    const activity = new Activity(clock);
    activity.count('tasks', 'started', { organization: 'acme' });
    activity.count('tasks', 'started', { organization: 'other' }, 0, 2);
    clock.ms += 60_000;
    activity.count('tasks', 'started', { organization: 'acme' });
    const taken = activity.take();
    const of = (organization: string) =>
      taken
        .filter((each) => each.organization === organization)
        .map(({ at, count }) => [at - NOON + 30_000, count]);
    expect(of('')).toEqual([
      [0, 3],
      [60_000, 1],
    ]);
    expect(of('acme')).toEqual([
      [0, 1],
      [60_000, 1],
    ]);
    expect(of('other')).toEqual([[0, 2]]);
    expect(activity.take()).toEqual([]);
  });

  it('counts on with what could not be stored', () => {
    const activity = new Activity(new SettableClock());
    activity.count('calls', 'answered', { agentId: 'a' }, 7);
    const taken = activity.take();
    activity.count('calls', 'answered', { agentId: 'a' }, 5);
    activity.giveBack(taken);
    expect(activity.take().map(({ count, totalMs }) => [count, totalMs])).toEqual([
      [2, 12],
      [2, 12],
    ]);
  });

  it('tells no more apart than fits, and counts all of them', () => {
    const activity = new Activity(new SettableClock());
    for (let n = 0; n < 20_000; n++) activity.count('tasks', 'started', { organization: `o${n}` });
    const taken = activity.take();
    expect(taken.length).toBeLessThanOrEqual(5001);
    expect(taken.find(({ organization }) => organization === '')?.count).toBe(20_000);
  });

  it('forgets an organization whose data is deleted', () => {
    const activity = new Activity(new SettableClock());
    activity.count('tasks', 'started', { organization: 'acme' });
    activity.forget('acme');
    expect(activity.take().map(({ organization }) => organization)).toEqual(['']);
  });

  it('names the time of a call by its bound', () => {
    expect([0, 10, 11, 100_000, 100_001].map(timeName)).toEqual([
      '10',
      '10',
      '30',
      '100000',
      'more',
    ]);
  });
});
