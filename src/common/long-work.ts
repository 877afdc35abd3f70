/**
 * Turns of the event loop for work that takes long, over the whole process: one piece of it runs in each,
 * so that what many ask for at once never adds up to one long stop. Who has a large text to parse, encode
 * or store waits for a turn before each such step.
 */
const waiting: (() => void)[] = [];

/** Characters or bytes from which work on them is long. */
export const LONG = 1024 * 1024;
/** Characters or bytes that are worked on in one turn. */
export const TURN = 2 * LONG;

/** Resolves in a turn of the event loop that no other long work has; first come, first served. */
export function longTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

/** The first in the line goes; its place is kept until it is done, as is that of who comes meanwhile. */
function next(): void {
  waiting[0]!();
  setImmediate(() => {
    waiting.shift();
    if (waiting.length > 0) next();
  });
}

/** What an object or a list counts beside what is in it: many empty ones are work and memory, too. */
const CONTAINER = 16;

/** Characters of all texts and names, bytes of all data, and a little for each object and list, in a value. */
export function sizeOf(value: unknown): number {
  return -left(value, 0, -Infinity);
}

/** Whether all texts, names, bytes, objects and lists in a value are long together. */
export function isLong(value: unknown, limit = LONG): boolean {
  return left(value, limit) < 0;
}

/** What of `limit` they leave; looks no further when less than `least` is left. */
function left(value: unknown, limit: number, least = 0): number {
  if (typeof value === 'string') return limit - value.length;
  if (typeof value !== 'object' || value === null) return limit - 1;
  if (value instanceof Uint8Array) return limit - value.byteLength;
  let rest = limit - CONTAINER;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && rest >= least; i++) rest = left(value[i], rest, least);
    return rest;
  }
  for (const key of Object.keys(value)) {
    if (rest < least) break;
    rest = left((value as Record<string, unknown>)[key], rest - key.length, least);
  }
  return rest;
}
