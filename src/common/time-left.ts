import type { Clock } from './clock.js';

/** How many milliseconds are left of `ms` that begin now, whenever it is called; not above 0 once they are over. */
export function timeLeft(clock: Pick<Clock, 'monotonicMs'>, ms: number): () => number {
  const end = clock.monotonicMs() + ms;
  return () => end - clock.monotonicMs();
}
