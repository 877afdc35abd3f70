import type { Verdict } from './attempt-verdict.js';
import { quickRetryDelayMs, retryDelayMs, type RetrySchedule } from './retry-schedule.js';

/** One attempt, as far as it decides what follows. */
export interface AttemptOutcome {
  readonly verdict: Verdict;
  /** What to tell people, e.g. `HTTP 503`. */
  readonly said: string;
  /** Attempts since the delivery was made or redelivered, this one included. */
  readonly tries: number;
  /** Those of them that were rejections. */
  readonly rejections: number;
  readonly retryAfterMs: number | null;
}

export type Consequence =
  | { readonly state: 'delivered' }
  | { readonly state: 'retrying'; readonly delayMs: number; readonly reason: string }
  | {
      readonly state: 'dead';
      readonly reason: string;
      /** What it means for the webhook's config. */
      readonly consequence: 'none' | 'failing' | 'disabled';
    };

/**
 * What follows from an attempt (webhooks.md: success, retried, rejected, 410, exhausted). Rejections
 * and other failures each count by themselves, so neither uses up the retries of the other.
 */
export function consequenceOf(
  outcome: AttemptOutcome,
  schedule: RetrySchedule,
  chance: number,
): Consequence {
  const { verdict, said, tries, rejections } = outcome;
  switch (verdict) {
    case 'delivered':
      return { state: 'delivered' };
    case 'gone':
      return {
        state: 'dead',
        reason: `${said}: the receiver wants no more`,
        consequence: 'disabled',
      };
    case 'rejected': {
      const delayMs = quickRetryDelayMs(schedule, rejections, chance);
      return delayMs === undefined
        ? { state: 'dead', reason: `${said}: the receiver rejects it`, consequence: 'none' }
        : { state: 'retrying', delayMs, reason: said };
    }
    case 'retry': {
      const failures = tries - rejections;
      const delayMs = retryDelayMs(schedule, failures, chance, outcome.retryAfterMs);
      return delayMs === undefined
        ? {
            state: 'dead',
            reason: `${said}: given up after ${tries} tries`,
            consequence: 'failing',
          }
        : { state: 'retrying', delayMs, reason: said };
    }
  }
}
