import { describe, expect, it } from '@jest/globals';
import { type WebhookHealth, failingForMs, healthAfter } from './webhook-health.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DISABLE_AFTER = 5 * DAY;
const NEW: WebhookHealth = {
  state: 'active',
  stateReason: null,
  failingSince: null,
  lastFailureAt: null,
};
const EXHAUSTED = { effect: 'failing', reason: 'given up' } as const;

const at = (ms: number): Date => new Date(ms);
const fails = (before: WebhookHealth, ms: number): WebhookHealth =>
  healthAfter(before, 'failed', null, at(ms), DISABLE_AFTER);

/** Given up at 0, and tried once an hour until `ms`. */
function failingUntil(ms: number): WebhookHealth {
  let health = healthAfter(NEW, 'failed', EXHAUSTED, at(0), DISABLE_AFTER);
  for (let now = HOUR; now <= ms; now += HOUR) health = fails(health, now);
  return health;
}

describe('the days of nothing but failures of a webhook', () => {
  it('count from the first failure on, once a delivery was given up', () => {
    const health = failingUntil(2 * DAY);
    expect(health).toMatchObject({ state: 'failing', failingSince: at(0) });
    expect(failingForMs(health, at(2 * DAY + HOUR), DISABLE_AFTER)).toBe(2 * DAY + HOUR);
    const active = { ...health, state: 'active' as const };
    expect(failingForMs(active, at(3 * DAY), DISABLE_AFTER)).toBe(0);
  });

  it('do not count a time without attempts', () => {
    const health = failingUntil(0);
    expect(failingForMs(health, at(6 * DAY), DISABLE_AFTER)).toBe(DISABLE_AFTER / 4);
    expect(fails(health, 6 * DAY).failingSince).toEqual(at(6 * DAY - DISABLE_AFTER / 4));
  });

  it('do not grow by a clock that jumps', () => {
    const health = failingUntil(DAY);
    const before = failingForMs(health, at(DAY), DISABLE_AFTER);
    const jumped = failingForMs(health, at(400 * DAY), DISABLE_AFTER);
    expect(jumped - before).toBeLessThanOrEqual(DISABLE_AFTER / 4);
    expect(failingForMs(health, at(-400 * DAY), DISABLE_AFTER)).toBeLessThan(0);
  });

  it('are over with a delivery, and with an answer that refuses the event alone', () => {
    const health = failingUntil(4 * DAY);
    expect(healthAfter(health, 'delivered', null, at(4 * DAY), DISABLE_AFTER)).toMatchObject({
      state: 'active',
      stateReason: null,
      failingSince: null,
    });
    const rejected = { effect: 'none', reason: 'HTTP 400' } as const;
    for (const end of [null, rejected]) {
      const after = healthAfter(health, 'answered', end, at(4 * DAY), DISABLE_AFTER);
      expect(after.failingSince).toBeNull();
      expect(failingForMs(after, at(9 * DAY), DISABLE_AFTER)).toBe(0);
    }
  });

  it('do not count troubles of the hub’s own', () => {
    expect(healthAfter(NEW, 'nothing', null, at(DAY), DISABLE_AFTER)).toBe(NEW);
    const givenUp = healthAfter(NEW, 'nothing', EXHAUSTED, at(DAY), DISABLE_AFTER);
    expect(givenUp).toMatchObject({ state: 'failing', failingSince: null });
  });

  it('are not written with each quick retry', () => {
    const health = failingUntil(0);
    expect(fails(health, 59_999)).toBe(health);
    expect(fails(health, 60_000).lastFailureAt).toEqual(at(60_000));
  });
});

describe('a webhook that is disabled', () => {
  it('keeps since when it failed, and why', () => {
    const end = { effect: 'disabled', reason: 'too long' } as const;
    const after = healthAfter(failingUntil(DAY), 'failed', end, at(DAY + HOUR), DISABLE_AFTER);
    expect(after).toMatchObject({
      state: 'disabled',
      stateReason: 'too long',
      failingSince: at(0),
    });
  });
});
