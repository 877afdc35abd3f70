import { describe, expect, it } from '@jest/globals';
import { errorClassOf, verdictOf } from '../../receivers/domain/attempt-verdict.js';
import { decideAttempt } from './attempt-decision.js';

const SCHEDULE = {
  scheduleMs: [1000, 5000],
  jitter: 0,
  retryAfterMaxMs: 3_600_000,
  disableAfterMs: 86_400_000,
};
const ON_TIME = { earlyMs: null, failingForMs: 0 };

function after(status: number | null, tries: number, retryAfterMs: number | null = null) {
  const verdict = verdictOf(status);
  const rejections = verdict === 'rejected' ? tries : 0;
  const outcome = { verdict, said: `HTTP ${status}`, tries, rejections, retryAfterMs, ...ON_TIME };
  return decideAttempt(outcome, SCHEDULE, 0.5);
}

/** What follows from the last of these answers. */
function afterAll(...statuses: number[]) {
  const verdict = verdictOf(statuses.at(-1)!);
  const rejections = statuses.filter((each) => verdictOf(each) === 'rejected').length;
  const tries = statuses.length;
  const outcome = { verdict, said: 'no', tries, rejections, retryAfterMs: null, ...ON_TIME };
  return decideAttempt(outcome, SCHEDULE, 0.5);
}

describe('verdictOf', () => {
  it.each([200, 201, 202, 204, 299])('takes %i for success', (status) => {
    expect(verdictOf(status)).toBe('delivered');
  });

  it.each([301, 302, 307, 308, 401, 403, 404, 408, 409, 418, 425, 429, 500, 502, 503, 504, 599])(
    'retries %i',
    (status) => {
      expect(verdictOf(status)).toBe('retry');
    },
  );

  it('retries when no answer came', () => {
    expect(verdictOf(null)).toBe('retry');
  });

  it.each([400, 405, 406, 413, 414, 415, 422])('takes %i for a rejection', (status) => {
    expect(verdictOf(status)).toBe('rejected');
  });

  it('takes 410 for the end of the webhook', () => {
    expect(verdictOf(410)).toBe('gone');
  });
});

describe('errorClassOf', () => {
  it('names what failed, and nothing for a success', () => {
    expect(errorClassOf(204, null)).toBeNull();
    expect(errorClassOf(302, null)).toBe('redirect');
    expect(errorClassOf(503, null)).toBe('status');
    expect(errorClassOf(422, null)).toBe('rejected');
    expect(errorClassOf(410, null)).toBe('gone');
    expect(errorClassOf(null, 'dns')).toBe('dns');
  });
});

describe('decideAttempt', () => {
  it('retries on the schedule and then marks the webhook failing', () => {
    expect(after(503, 1)).toEqual({
      state: 'retrying',
      delayMs: 1000,
      reason: 'HTTP 503',
      isEarly: false,
    });
    expect(after(503, 2)).toMatchObject({ state: 'retrying', delayMs: 5000 });
    expect(after(503, 3)).toMatchObject({ state: 'dead', effect: 'failing' });
  });

  it('gives a rejected event two quick retries and blames the event alone', () => {
    expect(after(422, 1)).toMatchObject({ state: 'retrying', delayMs: 1000 });
    expect(after(422, 2)).toMatchObject({ state: 'retrying', delayMs: 1000 });
    expect(after(422, 3)).toMatchObject({ state: 'dead', effect: 'none' });
  });

  it('counts quick retries by rejections and the schedule by the other failures', () => {
    expect(afterAll(503, 503, 422)).toMatchObject({ state: 'retrying', delayMs: 1000 });
    expect(afterAll(503, 503, 422, 422)).toMatchObject({ state: 'retrying', delayMs: 1000 });
    expect(afterAll(503, 503, 422, 422, 422)).toMatchObject({ state: 'dead', effect: 'none' });
    expect(afterAll(422, 422, 503)).toMatchObject({ state: 'retrying', delayMs: 1000 });
    expect(afterAll(422, 503, 422, 503)).toMatchObject({ state: 'retrying', delayMs: 5000 });
    expect(afterAll(422, 503, 503, 503)).toMatchObject({ state: 'dead', effect: 'failing' });
  });

  it('disables the webhook on 410, at once', () => {
    expect(after(410, 1)).toMatchObject({ state: 'dead', effect: 'disabled' });
  });

  it('waits as long as the receiver asks', () => {
    expect(after(429, 1, 20_000)).toMatchObject({ state: 'retrying', delayMs: 20_000 });
  });

  it('is done after a success, whatever came before', () => {
    expect(after(200, 7)).toEqual({ state: 'delivered' });
  });
});

describe('decideAttempt, for an attempt for the sake of its endpoint', () => {
  const early = { verdict: 'retry', said: 'HTTP 503', tries: 3, rejections: 0 } as const;

  it('keeps the time of the schedule and uses up no try', () => {
    const outcome = { ...early, retryAfterMs: null, earlyMs: 90_000, failingForMs: 1000 };
    expect(decideAttempt(outcome, SCHEDULE, 0.5)).toEqual({
      state: 'retrying',
      delayMs: 90_000,
      reason: 'HTTP 503',
      isEarly: true,
    });
  });

  it('honours a longer Retry-After, up to the limit', () => {
    const outcome = { ...early, retryAfterMs: 1e9, earlyMs: 90_000, failingForMs: 1000 };
    expect(decideAttempt(outcome, SCHEDULE, 0.5)).toMatchObject({ delayMs: 3_600_000 });
  });
});

describe('decideAttempt, after days of nothing but failures', () => {
  const failed = { verdict: 'retry', said: 'HTTP 404', tries: 1, rejections: 0 } as const;
  const rest = { retryAfterMs: null, earlyMs: null };

  it('disables the webhook', () => {
    const outcome = { ...failed, ...rest, failingForMs: SCHEDULE.disableAfterMs };
    expect(decideAttempt(outcome, SCHEDULE, 0.5)).toMatchObject({
      state: 'dead',
      effect: 'disabled',
    });
  });

  it('does not a moment earlier', () => {
    const outcome = { ...failed, ...rest, failingForMs: SCHEDULE.disableAfterMs - 1 };
    expect(decideAttempt(outcome, SCHEDULE, 0.5)).toMatchObject({ state: 'retrying' });
  });
});
