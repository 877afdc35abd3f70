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
  let standing = healthAfter(NEW, 'failed', EXHAUSTED, at(0), DISABLE_AFTER);
  for (let now = HOUR; now <= ms; now += HOUR) standing = fails(standing, now);
  return standing;
}

describe('the days of nothing but failures of a webhook', () => {
  it('count from the first failure on, once a delivery was given up', () => {
    const standing = failingUntil(2 * DAY);
    expect(standing).toMatchObject({ state: 'failing', failingSince: at(0) });
    expect(failingForMs(standing, at(2 * DAY + HOUR), DISABLE_AFTER)).toBe(2 * DAY + HOUR);
    const active = { ...standing, state: 'active' as const };
    expect(failingForMs(active, at(3 * DAY), DISABLE_AFTER)).toBe(0);
  });

  it('do not count a time in which nobody tried', () => {
    const standing = failingUntil(0);
    expect(failingForMs(standing, at(6 * DAY), DISABLE_AFTER)).toBe(DISABLE_AFTER / 4);
    expect(fails(standing, 6 * DAY).failingSince).toEqual(at(6 * DAY - DISABLE_AFTER / 4));
  });

  it('do not grow by a clock that jumps', () => {
    const standing = failingUntil(DAY);
    const before = failingForMs(standing, at(DAY), DISABLE_AFTER);
    const jumped = failingForMs(standing, at(400 * DAY), DISABLE_AFTER);
    expect(jumped - before).toBeLessThanOrEqual(DISABLE_AFTER / 4);
    expect(failingForMs(standing, at(-400 * DAY), DISABLE_AFTER)).toBeLessThan(0);
  });

  it('are over with a delivery, and with an answer that refuses the event alone', () => {
    const standing = failingUntil(4 * DAY);
    expect(healthAfter(standing, 'delivered', null, at(4 * DAY), DISABLE_AFTER)).toMatchObject({
      state: 'active',
      stateReason: null,
      failingSince: null,
    });
    const rejected = { effect: 'none', reason: 'HTTP 400' } as const;
    for (const end of [null, rejected]) {
      const after = healthAfter(standing, 'answered', end, at(4 * DAY), DISABLE_AFTER);
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
    const standing = failingUntil(0);
    expect(fails(standing, 59_999)).toBe(standing);
    expect(fails(standing, 60_000).lastFailureAt).toEqual(at(60_000));
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
