import type { Verdict } from '../../receivers/domain/attempt-verdict.js';
import { REJECTED } from './dead-causes.js';
import { quickRetryDelayMs, retryDelayMs, type RetrySchedule } from './retry-schedule.js';

/** One attempt, as far as it decides what follows. */
export interface AttemptOutcome {
  readonly verdict: Verdict;
  /** The reason for people, e.g. `HTTP 503`. */
  readonly said: string;
  /** Attempts since the delivery was made or redelivered, this one included. */
  readonly tries: number;
  /** Those of them that were rejections. */
  readonly rejections: number;
  readonly retryAfterMs: number | null;
  /**
   * Milliseconds until the delivery's own schedule would have tried it; null when that was now. What
   * was tried early, for its endpoint's sake, uses up no try.
   */
  readonly earlyMs: number | null;
  /** Since how long nothing but failures came of the webhook. */
  readonly failingForMs: number;
}

export type AttemptDecision =
  | { readonly state: 'delivered' }
  | {
      readonly state: 'retrying';
      readonly delayMs: number;
      readonly reason: string;
      readonly isEarly: boolean;
    }
  | {
      readonly state: 'dead';
      readonly reason: string;
      /** What it means for the webhook. */
      readonly effect: 'none' | 'failing' | 'disabled';
    };

/**
 * What follows from an attempt (webhooks.md: success, retried, rejected, 410, exhausted). Rejections
 * and other failures each count by themselves, so neither uses up the retries of the other. A webhook
 * of which nothing but failures came for `disableAfterMs` is disabled.
 */
export function decideAttempt(
  outcome: AttemptOutcome,
  schedule: RetrySchedule & { readonly disableAfterMs: number },
  random: number,
): AttemptDecision {
  const { verdict, said, tries, rejections } = outcome;
  switch (verdict) {
    case 'delivered':
      return { state: 'delivered' };
    case 'gone':
      return {
        state: 'dead',
        reason: `${said}: the receiver wants no more`,
        effect: 'disabled',
      };
    case 'rejected': {
      const delayMs = quickRetryDelayMs(schedule, rejections, random);
      return delayMs === undefined
        ? { state: 'dead', reason: `${said}: ${REJECTED}`, effect: 'none' }
        : { state: 'retrying', delayMs, reason: said, isEarly: false };
    }
    case 'retry': {
      if (outcome.failingForMs >= schedule.disableAfterMs) {
        const reason = `${said}: every attempt failed for too long`;
        return { state: 'dead', reason, effect: 'disabled' };
      }
      if (outcome.earlyMs !== null) {
        const requested = Math.min(outcome.retryAfterMs ?? 0, schedule.retryAfterMaxMs);
        const delayMs = Math.max(outcome.earlyMs, requested);
        return { state: 'retrying', delayMs, reason: said, isEarly: true };
      }
      const failures = tries - rejections;
      const delayMs = retryDelayMs(schedule, failures, random, outcome.retryAfterMs);
      return delayMs === undefined
        ? {
            state: 'dead',
            reason: `${said}: given up after ${tries} tries`,
            effect: 'failing',
          }
        : { state: 'retrying', delayMs, reason: said, isEarly: false };
    }
  }
}
