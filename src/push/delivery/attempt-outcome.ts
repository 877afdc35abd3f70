import { isOwnTrouble, verdictOf } from '../receivers/domain/attempt-verdict.js';
import type { AttemptDecision } from './domain/attempt-decision.js';
import type { EndpointOutcome } from '../receivers/endpoint.js';
import type { AttemptRecord } from './delivery-stream-store.js';
import type { WebhookAnswer } from '../sending/webhook-sender.js';

/** The reason for people, e.g. `HTTP 503`. */
export function saidBy({ status, detail }: WebhookAnswer): string {
  return status === null ? (detail ?? 'no answer') : `HTTP ${status}`;
}

/** Statuses whose Retry-After is meant for everybody who calls. */
const ASKS_ALL: ReadonlySet<number | null> = new Set([429, 503]);

/** What the answer says about the endpoint; nothing, when the hub could not even ask. */
export function outcomeOf(
  answer: WebhookAnswer,
  decision: AttemptDecision,
  at: Date,
): EndpointOutcome | undefined {
  if (answer.error === 'auth' || answer.hubTrouble === 'not-sent') return undefined;
  const { status, retryAfterMs } = answer;
  const begunAt = at.getTime();
  const verdict = verdictOf(status);
  if (verdict === 'delivered') return { kind: 'delivered', begunAt };
  if (verdict !== 'retry') return { kind: 'answered', begunAt, error: saidBy(answer) };
  return {
    kind: 'failed',
    begunAt,
    error: saidBy(answer),
    blame: answer.hubTrouble ? 'way' : isOwnTrouble(status) ? 'webhook' : 'endpoint',
    retryAfterMs: ASKS_ALL.has(status) ? retryAfterMs : null,
    exhausted: decision.state === 'dead' && decision.effect === 'failing',
  };
}

/** What is recorded of the delivery. */
export function resultOf(decision: AttemptDecision, now: Date): AttemptRecord['result'] {
  if (decision.state !== 'retrying') return decision;
  const { reason, isEarly, delayMs } = decision;
  return { state: 'retrying', at: new Date(now.getTime() + delayMs), reason, isEarly };
}
