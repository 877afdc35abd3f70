import type { Clock } from './clock.js';

/**
 * How many milliseconds are left of `ms` that begin now, whenever it is called; not above 0 once they are over. A clock that
 * is set back meanwhile adds none.
 */
export function timeLeft(clock: Clock, ms: number): () => number {
  let left = ms;
  let before = clock.now().getTime();
  return () => {
    const now = clock.now().getTime();
    left -= Math.max(0, now - before);
    before = now;
    return left;
  };
}
