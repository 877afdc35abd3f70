import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Takes a point; undefined when there was one, else in how many seconds there is. What is refused costs none. */
export async function secondsLeft(
  limiter: RateLimiterMemory,
  key: string,
): Promise<number | undefined> {
  try {
    await limiter.consume(key);
    return undefined;
  } catch {
    return secondsUntil(await limiter.reward(key));
  }
}

/** In how many seconds there are points again. */
export function secondsUntil({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}
