import type { Clock } from './clock.js';
import { evictOldest } from './evict-oldest.js';

/** Nothing is given that is older, whatever a caller accepts. */
export const OLDEST_READING_MS = 5000;

interface Reading<T> {
  readonly value: Promise<T>;
  /** When it began, epoch milliseconds. */
  readonly at: number;
  isOver: boolean;
  /** It is for the one who reads it alone. */
  isAlone: boolean;
}

/**
 * What is read once for all who may see the same and take one that is not new: many people who look at the same page cost little
 * more than one.
 */
export class SharedReading<T> {
  private readonly kept = new Map<string, Reading<T>>();

  /** Keeps `most` of them, for seconds. */
  constructor(
    private readonly most: number,
    private readonly clock: Clock,
  ) {}

  /**
   * One that began `maxAgeMs` ago at most, or is under way: a slow one is not read by many at once. 0: one that is read for this
   * caller. `key`: all that it depends on, the rights of the caller among it; `keepToOne` of `read` keeps what is read from others.
   */
  async get(
    key: string,
    maxAgeMs: number,
    read: (keepToOne: () => void) => Promise<T>,
  ): Promise<T> {
    if (maxAgeMs <= 0) return read(() => undefined);
    const now = this.clock.now().getTime();
    this.forget(now);
    const known = this.kept.get(key);
    if (known !== undefined && (!known.isOver || Math.abs(now - known.at) <= maxAgeMs)) {
      try {
        const value = await known.value;
        if (!known.isAlone) return value;
      } catch (error) {
        // A refusal of what is kept to one is that one's.
        if (!known.isAlone) throw error;
      }
    }
    return this.begin(key, now, read);
  }

  private begin(key: string, at: number, read: (keepToOne: () => void) => Promise<T>): Promise<T> {
    const drop = (): void => {
      if (this.kept.get(key) === reading) this.kept.delete(key);
    };
    const keepToOne = (): void => {
      reading.isAlone = true;
      drop();
    };
    // Begins in the next microtask, when `reading` is there.
    const value = Promise.resolve().then(() => read(keepToOne));
    const reading: Reading<T> = { value, at, isOver: false, isAlone: false };
    value.then(
      () => (reading.isOver = true),
      () => drop(),
    );
    this.kept.delete(key);
    evictOldest(this.kept, this.most);
    this.kept.set(key, reading);
    return value;
  }

  /** Those that are too old for everybody; they are in the order of their beginning. */
  private forget(now: number): void {
    for (const [key, { at, isOver }] of this.kept) {
      if (Math.abs(now - at) <= OLDEST_READING_MS) return;
      if (isOver) this.kept.delete(key);
    }
  }
}
