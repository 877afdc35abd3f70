import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../auth/index.js';
import { configWith } from '../config/index.js';
import { RateLimit } from './rate-limit.js';

const caller = (id: string): Principal => ({ id, organization: 'tests', scopes: new Set() });

const NONE = { isSetFor: () => false, countRequest: () => undefined };

function limit(
  requestsPerSecond: number,
  burst: number,
  rates: ConstructorParameters<typeof RateLimit>[1] = NONE,
): RateLimit {
  return new RateLimit(configWith({ server: { rateLimit: { requestsPerSecond, burst } } }), rates);
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

  it('holds beside the limits of objects, and for no principal that has its own', async () => {
    const counted: string[] = [];
    const limited = limit(1, 0, {
      isSetFor: (principal) => principal === 'alice',
      countRequest: ({ principalId }) => {
        counted.push(principalId);
        return undefined;
      },
    });
    for (let n = 0; n < 3; n++) await limited.count(caller('alice'));
    await limited.count(caller('bob'));
    await expect(limited.count(caller('bob'))).rejects.toThrow('Too many requests');
    expect(counted).toEqual(['alice', 'alice', 'alice', 'bob']);
  });

  it('grants everything when it is 0', async () => {
    const limited = limit(0, 0);
    for (let n = 0; n < 1000; n++) await limited.count(caller('alice'));
  });
});
