import { describe, expect, it } from '@jest/globals';
import type { EndpointHealth, EndpointOutcome } from '../endpoint.js';
import { afterOutcome, type EndpointRules, newEndpoint } from './endpoint-health.js';
import { isGone, receiverStateOf, rejectsEvents } from './receiver-state.js';

const RULES: EndpointRules = {
  failuresToOpen: 3,
  pauseMs: 5000,
  maxPauseMs: 40_000,
  jitter: 0,
  startConcurrency: 10,
  maxConcurrency: 10,
  retryAfterMaxMs: 3_600_000,
  disableAfterMs: 432_000_000,
};

type Attempt = Omit<Extract<EndpointOutcome, { kind: 'failed' }>, 'begunAt' | 'kind'>;
const FAILS: Attempt = {
  error: 'HTTP 500',
  blame: 'endpoint',
  retryAfterMs: null,
  exhausted: false,
};

/** Attempts, one each millisecond: `+` is accepted, `-` refused for good, the others fail. */
function after(...attempts: readonly ('+' | '-' | Partial<Attempt>)[]): EndpointHealth {
  return attempts.reduce<EndpointHealth>((health, attempt, index) => {
    const begunAt = 1000 + index;
    const outcome: EndpointOutcome =
      attempt === '+'
        ? { kind: 'delivered', begunAt }
        : attempt === '-'
          ? { kind: 'answered', begunAt, error: 'HTTP 410' }
          : { ...FAILS, ...attempt, kind: 'failed', begunAt };
    return afterOutcome(health, outcome, RULES, begunAt, 0.5).health;
  }, newEndpoint(RULES));
}

describe('the state of a receiver', () => {
  it.each([
    ['no attempt', [], 'untried', false],
    ['one that is accepted', ['+'], 'healthy', false],
    ['a refusal', ['-'], 'failing', true],
    ['refusals alone', ['-', '-', '-'], 'failing', true],
    ['a refusal after successes', ['+', '+', '-'], 'failing', true],
    ['a success soon after a refusal', ['+', '-', '+'], 'healthy', false],
    ['one failure', [{}], 'failing', false],
    ['a failure after successes', ['+', '+', {}], 'failing', false],
    ['a refusal after failures', [{}, {}, '-'], 'failing', true],
    ['a refusal after its breaker opened', [{}, {}, {}, '-'], 'failing', true],
    ['a failure after a refusal', ['-', {}], 'failing', false],
    ['a success after failures', [{}, {}, {}, {}, '+'], 'healthy', false],
    ['a name that cannot be looked up', [{ blame: 'way' }], 'failing', false],
    ['a request to wait', ['+', { retryAfterMs: 5000 }], 'failing', false],
    ['a delivery that is given up', [{ exhausted: true }], 'failing', false],
  ] as const)('after %s', (_, attempts, state, rejects) => {
    const health = after(...attempts);
    expect([receiverStateOf(health), rejectsEvents(health)]).toEqual([state, rejects]);
    // They are refused by 410 here.
    expect(isGone(health)).toBe(rejects);
  });

  it('is not that a webhook is gone after another refusal', () => {
    expect(isGone({ ...after('-'), lastError: 'HTTP 400' })).toBe(false);
  });

  it('goes by the order of attempts, also where the clock of another process was ahead', () => {
    const well = after('+', '+');
    const refusal = { kind: 'answered', begunAt: 900, error: 'HTTP 410' } as const;
    const refused = afterOutcome(well, refusal, RULES, 900, 0.5).health;
    expect(receiverStateOf(refused)).toBe('failing');
    const taken = { kind: 'delivered', begunAt: 901 } as const;
    expect(receiverStateOf(afterOutcome(refused, taken, RULES, 901, 0.5).health)).toBe('healthy');
  });
});
