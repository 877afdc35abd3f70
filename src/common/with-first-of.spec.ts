import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { withFirstOf } from './with-first-of.js';

/** What the signal says once that has aborted. */
function reasonOf(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(signal.reason);
    signal.addEventListener('abort', () => resolve(signal.reason));
  });
}

describe('withFirstOf', () => {
  it('aborts with the first of the signals, for its reason', async () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const reason = withFirstOf([one.signal, other.signal], reasonOf);
    other.abort('other');
    one.abort('one');
    expect(await reason).toBe('other');
    expect(await withFirstOf([AbortSignal.abort('before')], reasonOf)).toBe('before');
  });

  it('leaves nothing with a signal when it is over', async () => {
    const { signal } = new AbortController();
    expect(await withFirstOf([signal], async () => 'done')).toBe('done');
    const failing = withFirstOf([signal], () => Promise.reject(new Error('failed')));
    await expect(failing).rejects.toThrow('failed');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
