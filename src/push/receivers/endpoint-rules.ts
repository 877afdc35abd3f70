import type { AppConfig } from '../../config/index.js';
import type { EndpointRules } from './domain/endpoint-health.js';

/** The rules as the settings `push.*` have them. */
export function endpointRules(push: AppConfig['push']): EndpointRules {
  return {
    failuresToOpen: push.breaker.failures,
    pauseMs: push.breaker.pauseMs,
    maxPauseMs: push.breaker.maxPauseMs,
    jitter: push.jitter,
    startConcurrency: Math.min(push.startPerEndpoint, push.maxPerEndpoint),
    maxConcurrency: push.maxPerEndpoint,
    retryAfterMaxMs: push.retryAfterMaxMs,
    disableAfterMs: push.disableAfterMs,
  };
}

/** What {@link longestWaitMs} follows from. */
export type WaitSettings = Pick<
  AppConfig['push'],
  'scheduleMs' | 'retryAfterMaxMs' | 'jitter' | 'timeoutMs'
> & { readonly breaker: Pick<AppConfig['push']['breaker'], 'maxPauseMs'> };

/** The longest time anything that fails may have to wait for its next try. */
export function longestWaitMs(push: WaitSettings): number {
  const pauses = [...push.scheduleMs, push.breaker.maxPauseMs, push.retryAfterMaxMs];
  return Math.max(...pauses) * (1 + push.jitter) + 2 * push.timeoutMs;
}
