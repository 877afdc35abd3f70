import { Injectable } from '@nestjs/common';
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Principal } from '../auth/index.js';
import { HubError } from '../common/hub-error.js';
import { AppConfig } from '../config/index.js';

/** The burst is granted once in this time. */
const BURST_SECONDS = 10;

/** How often one principal may call, counted in this process (`server.rateLimit`). */
@Injectable()
export class RateLimit {
  private readonly limiter: BurstyRateLimiter | undefined;

  constructor(config: AppConfig) {
    const { requestsPerSecond, burst } = config.server.rateLimit;
    if (requestsPerSecond === 0) return;
    this.limiter = new BurstyRateLimiter(
      new RateLimiterMemory({ points: requestsPerSecond, duration: 1 }),
      new RateLimiterMemory({ keyPrefix: 'burst', points: burst, duration: BURST_SECONDS }),
    );
  }

  /**
   * Counts one request. Rejects with RATE_LIMITED when it is one too many; `retryAfterSeconds` of its
   * metadata is a whole number of at least 1.
   */
  async count({ id }: Principal): Promise<void> {
    try {
      await this.limiter?.consume(id);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const seconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
      throw new HubError('RATE_LIMITED', `Too many requests; try again in ${seconds} s.`, {
        metadata: { retryAfterSeconds: String(seconds) },
      });
    }
  }
}
