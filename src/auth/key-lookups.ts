import { HubError } from '../common/hub-error.js';

/** Searches for keys that were never seen before, made at once. */
const AT_ONCE = 4;
/** How many more may wait; those above are refused unsearched. */
const WAITING = 200;
/** How long a key that is not there, or has expired, is known to be so. */
const REFUSED_MS = 10_000;
/** Such keys remembered at once. */
const REMEMBERED = 10_000;

/** A key that is not valid. */
interface Refused {
  /** When it may be searched for again. */
  readonly until: number;
  /** When it has expired; undefined when it is not there. */
  readonly expired: Date | undefined;
}

/**
 * What wrong keys may cost: the database is asked about keys not seen before by few callers at
 * once, and not again soon about one that is not there or has expired.
 */
export class KeyLookups {
  /** The keys that were refused, by their hash, oldest first. */
  private readonly refused = new Map<string, Refused>();
  private readonly waiting: (() => void)[] = [];
  private searching = 0;

  /**
   * What `search` finds: the key, when it has expired, or undefined; the latter two at once for a key of which they
   * were found lately. Rejects with UNAVAILABLE above the bounds.
   */
  async find<T extends object>(
    hash: string,
    now: number,
    search: () => Promise<T | Date | undefined>,
  ): Promise<T | Date | undefined> {
    const known = this.refused.get(hash);
    if (known !== undefined && known.until > now) return known.expired;
    this.refused.delete(hash);
    await this.turn();
    try {
      const found = await search();
      if (found === undefined || found instanceof Date) {
        this.remember(hash, { until: now + REFUSED_MS, expired: found });
      }
      return found;
    } finally {
      this.searching -= 1;
      this.waiting.shift()?.();
    }
  }

  /** Keys that were not there may be now. */
  forget(): void {
    this.refused.clear();
  }

  private async turn(): Promise<void> {
    if (this.searching >= AT_ONCE) {
      if (this.waiting.length >= WAITING) {
        throw new HubError('UNAVAILABLE', 'Too many unknown keys are shown at once; try again.', {
          metadata: { retryAfterSeconds: '1' },
        });
      }
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.searching += 1;
  }

  private remember(hash: string, refused: Refused): void {
    const oldest = this.refused.keys().next();
    if (this.refused.size >= REMEMBERED && !oldest.done) this.refused.delete(oldest.value);
    this.refused.set(hash, refused);
  }
}
