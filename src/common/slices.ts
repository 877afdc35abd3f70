import { isLong, LONG, longTurn } from './long-work.js';

/** A value up to this, by `sizeOf`, or a text of so many characters, is worked on in a fraction of a millisecond. */
export const SMALL = LONG / 16;

/** Of one turn of the event loop, what all that takes turns may use together. */
const SLICE_MS = 2;

/** Shares a slice of each turn of the event loop among all who want some; who comes too late waits for a later one. */
class Slices {
  private readonly waiting: (() => void)[] = [];
  /** Of the slice of this turn; undefined before anybody has wanted it. */
  private until: number | undefined;

  next(): Promise<void> | undefined {
    if (this.until === undefined) this.begin();
    // Behind those who wait.
    else if (this.waiting.length > 0 || performance.now() >= this.until) {
      return new Promise((resolve) => this.waiting.push(resolve));
    }
    return undefined;
  }

  private begin(): void {
    this.until = performance.now() + SLICE_MS;
    setImmediate(() => {
      this.until = undefined;
      if (this.waiting.length === 0) return;
      this.begin();
      this.resume();
    });
  }

  /** Resumes the first who waits; once that has done its piece the next, while there is something left of the slice. */
  private resume(): void {
    this.waiting.shift()?.();
    if (this.waiting.length === 0) return;
    const goOn = (): void => {
      if (this.until !== undefined && performance.now() < this.until) this.resume();
    };
    // Ticks and microtasks run by turns: behind all that it has put into the queue of these.
    process.nextTick(() => queueMicrotask(() => process.nextTick(goOn)));
  }
}

const SLICES = new Slices();

/**
 * When the next piece of long work may be begun; undefined when it may at once. However many do such work, together they use
 * two milliseconds of a turn of the event loop. To be called before each piece.
 */
export function nextSlice(): Promise<void> | undefined {
  return SLICES.next();
}

/** When work on so many characters or bytes may begin: in a turn of long work, in a slice, or at once. */
export function turnFor(size: number): Promise<void> | undefined {
  if (size > LONG) return longTurn();
  return size > SMALL ? nextSlice() : undefined;
}

/**
 * When work on a value may begin, which is not long by {@link isLong}: at once where it is small, else in a slice, as
 * very many such works are long together.
 */
export function sliceFor(value: unknown): Promise<void> | undefined {
  return isLong(value, SMALL) ? nextSlice() : undefined;
}

/** What `map` makes of each, in slices of the event loop: see {@link nextSlice}. */
export async function mapInSlices<From, To>(
  list: readonly From[],
  map: (each: From) => To,
): Promise<To[]> {
  const mapped: To[] = [];
  for (const each of list) {
    const slice = nextSlice();
    if (slice !== undefined) await slice;
    mapped.push(map(each));
  }
  return mapped;
}
