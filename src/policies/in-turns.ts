import { setImmediate as othersTurn } from 'node:timers/promises';

/** Work that is done before others have their turn. */
const SLICE_MS = 4;

/** Does something with each, in turns with other work. */
export async function inTurns<T>(all: Iterable<T>, work: (each: T) => void): Promise<void> {
  let until = performance.now() + SLICE_MS;
  for (const each of all) {
    work(each);
    if (performance.now() < until) continue;
    await othersTurn();
    until = performance.now() + SLICE_MS;
  }
}
