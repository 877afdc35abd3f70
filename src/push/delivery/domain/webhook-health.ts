import { failingSinceAt } from '../../receivers/domain/failing-time.js';

/** The health of a webhook. */
export interface WebhookHealth {
  readonly state: 'active' | 'failing' | 'paused' | 'disabled';
  readonly stateReason: string | null;
  /** Since when nothing but failures came of it. */
  readonly failingSince: Date | null;
  /** To the minute; it means something beside `failingSince` only. */
  readonly lastFailureAt: Date | null;
}

/**
 * What an attempt says of its webhook. `answered`: the receiver answers and refuses this event, or all;
 * `nothing`: there was no attempt, or it failed for a trouble of the hub's own.
 */
export type AttemptSignal = 'delivered' | 'answered' | 'failed' | 'nothing';

/** What the end of a delivery means for its webhook; null while it goes on, or was delivered. */
export interface DeadEnd {
  readonly effect: 'none' | 'failing' | 'disabled';
  readonly reason: string;
}

/** The time of the last failure is kept this exactly, so that quick retries need not write it. */
const FAILURE_GRAIN_MS = 60_000;

/** The webhook after an attempt; the very `before` when there is nothing new worth keeping. */
export function healthAfter(
  before: WebhookHealth,
  signal: AttemptSignal,
  end: DeadEnd | null,
  now: Date,
  disableAfterMs: number,
): WebhookHealth {
  if (signal === 'delivered') {
    if (before.state !== 'failing' && before.failingSince === null) return before;
    return { ...before, state: 'active', stateReason: null, failingSince: null };
  }
  const after = timesAfter(before, signal, now, disableAfterMs);
  if (end === null || end.effect === 'none') return after;
  return { ...after, state: end.effect, stateReason: end.reason };
}

function timesAfter(
  before: WebhookHealth,
  signal: Exclude<AttemptSignal, 'delivered'>,
  now: Date,
  disableAfterMs: number,
): WebhookHealth {
  const { failingSince, lastFailureAt } = before;
  if (signal === 'answered')
    return failingSince === null ? before : { ...before, failingSince: null };
  if (signal === 'nothing') return before;
  const since = failingSinceOf(before, now, disableAfterMs);
  const isSame = failingSince?.getTime() === since.getTime();
  const ago = Math.abs(now.getTime() - (lastFailureAt?.getTime() ?? 0));
  if (isSame && ago < FAILURE_GRAIN_MS) return before;
  return { ...before, failingSince: since, lastFailureAt: now };
}

/**
 * For how many milliseconds nothing but failures came of a webhook, with one more now. They count once a
 * delivery has used up its retries: before that the webhook was tried too seldom to say.
 */
export function failingForMs(before: WebhookHealth, now: Date, disableAfterMs: number): number {
  if (before.state !== 'failing' || before.failingSince === null) return 0;
  return now.getTime() - failingSinceOf(before, now, disableAfterMs).getTime();
}

function failingSinceOf(
  { failingSince, lastFailureAt }: WebhookHealth,
  now: Date,
  disableAfterMs: number,
): Date {
  const times = {
    since: failingSince?.getTime() ?? null,
    last: lastFailureAt?.getTime() ?? null,
  };
  return new Date(failingSinceAt(times, now.getTime(), disableAfterMs));
}
