import type { EndpointHealth } from '../endpoint.js';
import { verdictOfError } from './attempt-verdict.js';

/**
 * What is said of a receiver everywhere: in its list, the overview and the checks.
 * - `healthy`: it accepted the last attempt;
 * - `untried`: there was no attempt yet;
 * - `failing`: it did not accept the last attempt, its breaker opened, or a delivery to it was given up;
 * - `disabled`: as the state of its endpoint.
 */
export const RECEIVER_STATES = ['healthy', 'untried', 'failing', 'disabled'] as const;
export type ReceiverState = (typeof RECEIVER_STATES)[number];

type Attempts = Pick<EndpointHealth, 'state' | 'failures' | 'lastSuccessAt' | 'lastFailureAt'>;

/** The same as the conditions of `receiver-states.ts`. */
export function receiverStateOf(health: Attempts): ReceiverState {
  if (health.state !== 'healthy') return health.state;
  if (health.failures > 0 || refusedLast(health)) return 'failing';
  return health.lastSuccessAt === null ? 'untried' : 'healthy';
}

/** Whether it answers, but did not accept the event or the webhook of its last attempt. */
export function rejectsEvents(health: Attempts & Pick<EndpointHealth, 'probeAt'>): boolean {
  return (
    health.state !== 'disabled' &&
    health.failures === 0 &&
    health.probeAt === null &&
    refusedLast(health)
  );
}

/** Whether its last answer was that a webhook is gone: the hub has disabled that webhook, and sends nothing more for it. */
export function isGone(health: Attempts & Pick<EndpointHealth, 'probeAt' | 'lastError'>): boolean {
  return rejectsEvents(health) && verdictOfError(health.lastError) === 'gone';
}

/** Whether a failure came after the last success. */
export function refusedLast({
  lastSuccessAt,
  lastFailureAt,
}: Pick<Attempts, 'lastSuccessAt' | 'lastFailureAt'>): boolean {
  return lastFailureAt !== null && lastFailureAt > (lastSuccessAt ?? -Infinity);
}
