import { expect, it } from '@jest/globals';
import { decideAttempt } from './attempt-decision.js';
import { deadCauseOf, reasonOfBacklog, REPLAYED, WEBHOOK_DELETED } from './dead-causes.js';

const SCHEDULE = { scheduleMs: [1], jitter: 0, retryAfterMaxMs: 1, disableAfterMs: 9 };

it.each([
  ['rejected', 'rejected', 'HTTP 422'],
  ['lost', 'retry', 'HTTP 503'],
  ['lost', 'gone', 'HTTP 410'],
  // A receiver may not choose what its failure counts as.
  ['lost', 'retry', 'ends with: the receiver rejects it'],
] as const)('is %s when an attempt ends so: %s, %s', (cause, verdict, said) => {
  const counts = { tries: 9, rejections: verdict === 'rejected' ? 9 : 0 };
  const outcome = { verdict, said, ...counts, retryAfterMs: null, earlyMs: null, failingForMs: 0 };
  const decision = decideAttempt(outcome, SCHEDULE, 0);
  if (decision.state !== 'dead') throw new Error(decision.state);
  expect(deadCauseOf(decision.reason)).toBe(cause);
});

it.each([
  ['wanted', WEBHOOK_DELETED],
  ['wanted', reasonOfBacklog(WEBHOOK_DELETED, 3, 9)],
  ['wanted', REPLAYED],
  ['lost', `${WEBHOOK_DELETED} by mistake`],
  ['lost', 'the webhook was paused for too long'],
  ['lost', 'the webhook is disabled: HTTP 410: the receiver wants no more'],
  ['lost', null],
] as const)('is %s for the reason %s', (cause, reason) => {
  expect(deadCauseOf(reason)).toBe(cause);
});
