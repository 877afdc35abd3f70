import { RateLimiterMemory } from 'rate-limiter-flexible';
import { secondsLeft, secondsUntil } from '../seconds-left.js';

const SECONDS = 60;
/** Links and answers of providers of one network, and how many of them may be none. */
const VISITS = 600;
const MISSES = 60;
/** When who has as many visits under way as may be misses may come again. */
const UNDER_WAY_SECONDS = 2;

/** Who has to wait, why, and for how long. */
export interface Wait {
  readonly seconds: number;
  readonly why: 'visits' | 'misses' | 'under-way';
}

/** How often browsers of one network may open pages of consents, or of sign-ins, by this process. */
export class VisitBounds {
  private readonly visits = new RateLimiterMemory({ points: VISITS, duration: SECONDS });
  private readonly misses = new RateLimiterMemory({ points: MISSES, duration: SECONDS });
  /** By network. */
  private readonly underWay = new Map<string, number>();

  /**
   * Runs `visit`, unless its network has to wait. Those under way may all be misses, so that many at once are no way round the bound.
   */
  async within<T>(
    network: string,
    visit: () => Promise<T>,
    isMiss: (result: T) => boolean,
  ): Promise<{ readonly result: T } | Wait> {
    const seconds = await secondsLeft(this.visits, network);
    if (seconds !== undefined) return { seconds, why: 'visits' };
    const others = this.underWay.get(network) ?? 0;
    this.underWay.set(network, others + 1);
    try {
      const missed = await this.misses.get(network);
      const misses = missed?.consumedPoints ?? 0;
      if (missed !== null && misses >= MISSES) {
        return { seconds: secondsUntil(missed), why: 'misses' };
      }
      if (misses + others >= MISSES) return { seconds: UNDER_WAY_SECONDS, why: 'under-way' };
      const result = await visit();
      if (isMiss(result)) await this.misses.penalty(network);
      return { result };
    } finally {
      this.leave(network);
    }
  }

  private leave(network: string): void {
    const others = (this.underWay.get(network) ?? 1) - 1;
    if (others === 0) this.underWay.delete(network);
    else this.underWay.set(network, others);
  }
}
