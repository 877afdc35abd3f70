/** How old an answer may be that others were given who may see the same, in seconds. */
const SHARED_S = 2;
/** How long after a change of its own this page takes no such answers: what it changed may take effect a moment later. */
const SEEN_MS = 5_000;

/** Headers of a read with whose answer something is done: it must be new. */
export const NEW_ANSWER = { 'Cache-Control': 'no-cache' };

let changedAt = -Infinity;

/** Notes that this page changes something, and that it has: what it reads next has that, also where the answer was lost. */
export function noteOwnChange(): void {
  changedAt = performance.now();
}

/** What `Cache-Control` says of how old an answer may be, so that a hub reads once for all who look on; undefined: it must be new. */
export function acceptedAge(): string | undefined {
  return performance.now() - changedAt < SEEN_MS ? undefined : `max-age=${SHARED_S}`;
}
