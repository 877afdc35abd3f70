/** The hub says with this that it is busy. */
const BUSY_HEADER = 'a2a-hub-busy';
/** So many times as long a page waits then before it reads again. */
const BUSY_TIMES = 2;
/**
 * How long a hub is taken as busy that has said so, in milliseconds: several processes may answer, of which one is busy. An interval that
 * changed with each answer would begin anew each time.
 */
const BUSY_MS = 60_000;

let busyUntil = -Infinity;

/** Takes from an answer whether the hub is busy. */
export function noteLoad({ headers }: Pick<Response, 'headers'>): void {
  if (headers.has(BUSY_HEADER)) busyUntil = performance.now() + BUSY_MS;
}

/** How long a page waits before it reads again what it reads every `ms`: a hub that is busy is asked less often. */
export function paced(ms: number): number {
  return performance.now() < busyUntil ? BUSY_TIMES * ms : ms;
}

/** The same, as `refetchInterval`, which is asked for after each reading. */
export function every(ms: number): () => number {
  return () => paced(ms);
}
