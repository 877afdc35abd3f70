import { HubError } from '../common/hub-error.js';
import { evictOldest } from '../common/evict-oldest.js';
import { isAhead } from '../common/is-ahead.js';

/** Searches for credentials that were never seen before, made at once. */
const AT_ONCE = 4;
/** How many more may wait; those above are refused unsearched. */
const WAITING = 200;
/** How long one that was refused is known to be. */
const REFUSED_MS = 10_000;
/** Such credentials remembered at once. */
const REMEMBERED = 10_000;

interface Refused {
  /** When it may be searched for again. */
  readonly until: number;
  readonly error: HubError;
}

/**
 * What wrong keys and tokens may cost: the database, or the issuer, is asked about credentials not seen before by few
 * callers at once, and not again soon about one that was refused.
 */
export class CredentialLookups {
  /** Why credentials were refused, by their hash, oldest first. */
  private readonly refused = new Map<string, Refused>();
  private readonly waiting: (() => void)[] = [];
  private searching = 0;
  /** Raised by what makes credentials valid again: what a search has found that began before must not be remembered. */
  private forgotten = 0;

  /**
   * What `search` finds; it rejects with UNAUTHENTICATED for a credential that is not valid, which is remembered for a
   * while. Rejects with UNAVAILABLE above the bounds.
   */
  async find<T>(hash: string, now: number, search: () => Promise<T>): Promise<T> {
    const known = this.refused.get(hash);
    if (known !== undefined && isAhead(known.until, now, REFUSED_MS)) throw known.error;
    this.refused.delete(hash);
    await this.turn();
    const { forgotten } = this;
    try {
      return await search();
    } catch (error) {
      const isRefused = error instanceof HubError && error.reason === 'UNAUTHENTICATED';
      if (isRefused && forgotten === this.forgotten) {
        this.remember(hash, { until: now + REFUSED_MS, error });
      }
      throw error;
    } finally {
      this.searching -= 1;
      this.waiting.shift()?.();
    }
  }

  /** Credentials that were refused may be valid now. */
  forget(): void {
    this.forgotten += 1;
    this.refused.clear();
  }

  private async turn(): Promise<void> {
    if (this.searching >= AT_ONCE) {
      if (this.waiting.length >= WAITING) {
        throw new HubError(
          'UNAVAILABLE',
          'Too many unknown credentials are shown at once; try again.',
          { metadata: { retryAfterSeconds: '1' } },
        );
      }
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.searching += 1;
  }

  private remember(hash: string, refused: Refused): void {
    evictOldest(this.refused, REMEMBERED);
    this.refused.set(hash, refused);
  }
}
