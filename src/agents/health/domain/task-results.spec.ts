import { describe, expect, it } from '@jest/globals';
import { TaskResults } from './task-results.js';

const RULES = { failureRate: 0.5, failuresToDown: 3 };
const HOUR = 60 * 60 * 1000;

/** After these results at time 0: `a+` is one of organization a that completed, `a-` one that failed. */
function after(...said: string[]): TaskResults {
  const results = new TaskResults(RULES);
  for (const [organization = '', mark] of said) {
    results.note(
      mark === '+'
        ? { organization, ok: true }
        : { organization, ok: false, error: `of ${organization}` },
      0,
    );
  }
  return results;
}

describe('the results of an agent', () => {
  it('are none at first', () => {
    expect(after().failures(0)).toMatchObject({ failureRate: null, isFailing: false });
    expect(after().lastError).toBeNull();
  });

  it('make it failing when at least three, and half of them, failed', () => {
    expect(after('a-', 'a-').failures(0)).toMatchObject({ failureRate: 1, isFailing: false });
    expect(after('a-', 'a-', 'a-').failures(0)).toMatchObject({ failureRate: 1, isFailing: true });
    expect(after('a-', 'a-', 'a-', 'a+', 'a+', 'a+', 'a+').failures(0).isFailing).toBe(false);
    expect(after('a-').lastError).toBe('of a');
  });

  it('say since when it is failing, until it is so no more', () => {
    const results = after('a-', 'a-');
    const failed = { organization: 'a', ok: false, error: 'no' } as const;
    results.note(failed, 5);
    results.note(failed, 9);
    expect(results.failures(9).failingSince).toBe(5);
    for (let n = 0; n < 5; n++) results.note({ organization: 'a', ok: true }, 10);
    expect(results.failures(10)).toMatchObject({ isFailing: false, failingSince: null });
    for (let n = 0; n < 2; n++) results.note(failed, 11);
    expect(results.failures(11).failingSince).toBe(11);
  });

  it('weigh the same from each organization: one alone makes it failing for nobody else', () => {
    const poison = Array.from({ length: 500 }, () => 'a-');
    const results = after(...poison, 'b+', 'c+');
    expect(results.failures(0)).toMatchObject({ failureRate: 1 / 3, isFailing: false });
    expect(results.counts).toEqual({ completed: 2, failed: 500 });
    const both = after('a-', 'a-', 'a-', 'b-', 'b-', 'b-', 'c+');
    expect(both.failures(0)).toMatchObject({ failureRate: 2 / 3, isFailing: true });
  });

  it('end: twenty successes make up for all, and after an hour nothing counts', () => {
    const failing = after('a-', 'a-', 'a-');
    expect(failing.failures(HOUR - 1).isFailing).toBe(true);
    expect(failing.failures(HOUR)).toMatchObject({ failureRate: null, isFailing: false });
    const better = after('a-', 'a-', 'a-', ...Array.from({ length: 20 }, () => 'a+'));
    expect(better.failures(0)).toMatchObject({ failureRate: 0, isFailing: false });
  });

  it('of more than 64 organizations: those heard of last', () => {
    const results = new TaskResults(RULES);
    results.note({ organization: 'first', ok: false, error: '' }, 0);
    for (let n = 0; n < 64; n++) results.note({ organization: `o${n}`, ok: true }, 0);
    expect(results.failures(0).failureRate).toBe(0);
  });
});
