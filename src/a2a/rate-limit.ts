import { Inject, Injectable } from '@nestjs/common';
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Principal } from '../auth/index.js';
import { HubError } from '../common/hub-error.js';
import { AppConfig } from '../config/index.js';
import { RequestRates } from '../limits/index.js';

/** The burst is granted once in this time. */
const BURST_SECONDS = 10;

/**
 * How often one may call: what limits say, over all processes, and each principal for which none says so as
 * `server.rateLimit` does, counted in this process.
 */
@Injectable()
export class RateLimit {
  private readonly limiter: BurstyRateLimiter | undefined;

  constructor(
    config: AppConfig,
    @Inject(RequestRates)
    private readonly rates: Pick<RequestRates, 'isSetFor' | 'countRequest'>,
  ) {
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
  async count({ id, organization }: Principal): Promise<void> {
    if (this.limiter !== undefined && !this.rates.isSetFor(id)) await consume(this.limiter, id);
    await this.rates.countRequest({ organization, principalId: id });
  }
}

async function consume(limiter: BurstyRateLimiter, id: string): Promise<void> {
  try {
    await limiter.consume(id);
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    const seconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
    throw new HubError('RATE_LIMITED', `Too many requests; try again in ${seconds} s.`, {
      metadata: { retryAfterSeconds: String(seconds) },
      refusal: { limit: { kind: 'requestsPerSecond', principal: id } },
    });
  }
}
