import type { Clock } from '../../common/clock.js';
import { evictOldest } from '../../common/evict-oldest.js';
import { KeptValue } from '../../common/kept-value.js';

/** Kinds of callers whose readings are kept. */
const MOST = 500;

/**
 * One reading for all who may see the same: however many ask, it is read once in `freshMs`, and whoever asks gets none that is
 * older.
 */
export class SharedReading<T> {
  private readonly kept = new Map<string, KeptValue<T>>();

  constructor(
    private readonly freshMs: number,
    private readonly clock: Clock,
  ) {}

  /** `key`: what the reading depends on. */
  get(key: string, read: () => Promise<T>): Promise<T> {
    let value = this.kept.get(key);
    if (value === undefined) {
      const { freshMs } = this;
      value = new KeptValue({ read, freshMs, keptMs: freshMs, failureMs: 1000 }, this.clock);
      evictOldest(this.kept, MOST);
      this.kept.set(key, value);
    }
    return value.get();
  }
}
