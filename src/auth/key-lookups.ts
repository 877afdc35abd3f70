import { HubError } from '../common/hub-error.js';

/** Searches for keys that were never seen before, made at once. */
const AT_ONCE = 4;
/** How many more may wait; those above are refused unsearched. */
const WAITING = 200;
/** How long a key that is not there is known not to be. */
const ABSENT_MS = 10_000;
/** Absent keys remembered at once. */
const REMEMBERED = 10_000;

/**
 * What wrong keys may cost: the database is asked about keys that nobody has shown before by few callers at
 * once, and not again soon about one that is not there.
 */
export class KeyLookups {
  /** When each absent key may be searched for again, by its hash, oldest first. */
  private readonly absent = new Map<string, number>();
  private readonly waiting: (() => void)[] = [];
  private searching = 0;

  /** What `search` finds; undefined at once for a key that was not there lately. Rejects with UNAVAILABLE above the bounds. */
  async find<T>(
    hash: string,
    now: number,
    search: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    if ((this.absent.get(hash) ?? 0) > now) return undefined;
    this.absent.delete(hash);
    await this.turn();
    try {
      const found = await search();
      if (found === undefined) this.remember(hash, now + ABSENT_MS);
      return found;
    } finally {
      this.searching -= 1;
      this.waiting.shift()?.();
    }
  }

  /** Keys that were not there may be now. */
  forget(): void {
    this.absent.clear();
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

  private remember(hash: string, until: number): void {
    const oldest = this.absent.keys().next();
    if (this.absent.size >= REMEMBERED && !oldest.done) this.absent.delete(oldest.value);
    this.absent.set(hash, until);
  }
}
