import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../auth/index.js';
import { configWith } from '../config/index.js';
import { RateLimit } from './rate-limit.js';

const caller = (id: string): Principal => ({ id, organization: 'tests', scopes: new Set() });

function limit(requestsPerSecond: number, burst: number): RateLimit {
  return new RateLimit(configWith({ server: { rateLimit: { requestsPerSecond, burst } } }));
}

describe('the rate limit', () => {
  it.each([
    [3, 2],
    [1, 0],
  ])('of %i a second with a burst of %i grants both, to each caller', async (rate, burst) => {
    const limited = limit(rate, burst);
    for (const id of ['alice', 'bob']) {
      for (let n = 0; n < rate + burst; n++) await limited.count(caller(id));
      await expect(limited.count(caller(id))).rejects.toMatchObject({
        reason: 'RATE_LIMITED',
        metadata: { retryAfterSeconds: '1' },
      });
    }
  });

  it('grants everything when it is 0', async () => {
    const limited = limit(0, 0);
    for (let n = 0; n < 1000; n++) await limited.count(caller('alice'));
  });
});
