/** A piece of long work that took longer is followed by a smaller one, one that took less by a larger one. */
const LONG_MS = 4;
const SHORT_MS = 1.5;

/**
 * How many rows one piece of long work has, by the time that pieces of it have held the event loop: rows that are not in memory
 * take a hundred times as long as those that are.
 */
export class PieceSize {
  private now: number;

  constructor(
    private readonly least: number,
    private readonly most: number,
    first = least,
  ) {
    this.now = first;
  }

  get rows(): number {
    return this.now;
  }

  /** Says how long a piece of this size took. */
  took(ms: number): void {
    if (ms > LONG_MS) this.now = Math.max(this.least, this.now >> 1);
    else if (ms < SHORT_MS) this.now = Math.min(this.most, this.now * 2);
  }

  /** Calls `work`, which holds the event loop until it returns; `before`: how long finding its piece has held it, ms. */
  time<T>(work: () => T, before = 0): T {
    const began = performance.now();
    try {
      return work();
    } finally {
      this.took(before + performance.now() - began);
    }
  }
}
