import { describe, expect, it } from '@jest/globals';
import { outcomeOf } from './attempt-outcome.js';
import type { WebhookAnswer } from '../sending/webhook-sender.js';

const RETRYING = { state: 'retrying', delayMs: 1000, reason: 'no', isEarly: false } as const;

function blameFor(change: Partial<WebhookAnswer>): unknown {
  const answer: WebhookAnswer = {
    status: null,
    error: null,
    detail: null,
    retryAfterMs: null,
    response: null,
    durationMs: 1,
    ...change,
  };
  const outcome = outcomeOf(answer, RETRYING, new Date(0));
  return outcome?.kind === 'failed' ? outcome.blame : outcome?.kind;
}

describe('what a failed attempt says of the endpoint', () => {
  it('is its trouble when it does not answer, or has an error of its own', () => {
    expect(blameFor({ error: 'connect', detail: 'ECONNREFUSED' })).toBe('endpoint');
    expect(blameFor({ status: 503 })).toBe('endpoint');
    expect(blameFor({ status: 429 })).toBe('endpoint');
  });

  it('is the webhook’s trouble when the receiver answers and does not know it', () => {
    expect([401, 403, 404].map((status) => blameFor({ status }))).toEqual(
      Array<string>(3).fill('webhook'),
    );
  });

  it('is nothing when the hub itself could not call', () => {
    expect(blameFor({ error: 'connect', hubTrouble: 'not-sent' })).toBeUndefined();
    expect(blameFor({ error: 'egress', hubTrouble: 'not-sent' })).toBeUndefined();
    expect(blameFor({ error: 'auth' })).toBeUndefined();
  });

  it('is of no receiver when a name cannot be looked up, but its streams wait', () => {
    expect(blameFor({ error: 'dns', hubTrouble: 'unsure' })).toBe('way');
  });
});
