import { RateLimiterMemory } from 'rate-limiter-flexible';
import { secondsLeft } from '../../common/seconds-left.js';

const SECONDS = 60;
/** Links and answers of providers of one network, and how many of them may be none. */
const VISITS = 600;
const MISSES = 60;

/** Who has to wait, why, and for how long. */
export interface Wait {
  readonly seconds: number;
  readonly why: 'visits' | 'misses';
}

/** How often browsers of one network may open the pages of consents, by this process. */
export class VisitBounds {
  private readonly visits = new RateLimiterMemory({ points: VISITS, duration: SECONDS });
  private readonly misses = new RateLimiterMemory({ points: MISSES, duration: SECONDS });

  /**
   * Runs `visit`, unless its network has to wait. Each counts as a miss until it has turned out to be none, so that many at once are no
   * way round the bound.
   */
  async within<T>(
    network: string,
    visit: () => Promise<T>,
    isMiss: (result: T) => boolean,
  ): Promise<{ readonly result: T } | Wait> {
    for (const why of ['visits', 'misses'] as const) {
      const seconds = await secondsLeft(this[why], network);
      if (seconds !== undefined) return { seconds, why };
    }
    let missed = false;
    try {
      const result = await visit();
      missed = isMiss(result);
      return { result };
    } finally {
      if (!missed) await this.misses.reward(network);
    }
  }
}
