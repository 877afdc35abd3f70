import { describe, expect, it } from '@jest/globals';
import type { Blame, EndpointHealth, EndpointOutcome } from '../endpoint.js';
import { type EndpointRules, afterOutcome, isOpen, newEndpoint } from './endpoint-health.js';

const RULES: EndpointRules = {
  failuresToOpen: 3,
  pauseMs: 5000,
  maxPauseMs: 40_000,
  jitter: 0.2,
  startConcurrency: 2,
  maxConcurrency: 10,
  retryAfterMaxMs: 3_600_000,
  disableAfterMs: 432_000_000,
};
const MIDDLE = 0.5;

interface Change {
  readonly blame?: Blame;
  readonly retryAfterMs?: number | null;
  readonly exhausted?: boolean;
  readonly begunAt?: number;
}

/** An endpoint whose attempts follow each other at times the test says. */
class Story {
  health: EndpointHealth = newEndpoint(RULES);
  readonly events: string[] = [];

  fails(now: number, change: Change = {}, random = MIDDLE): this {
    const rest = { retryAfterMs: null, exhausted: false, begunAt: now };
    const failed = { blame: 'endpoint' as const, ...rest, ...change };
    return this.goes(now, { kind: 'failed', error: 'HTTP 503', ...failed }, random);
  }

  succeeds(now: number, begunAt = now): this {
    return this.goes(now, { kind: 'delivered', begunAt }, MIDDLE);
  }

  refuses(now: number, error = 'HTTP 410'): this {
    return this.goes(now, { kind: 'answered', begunAt: now, error }, MIDDLE);
  }

  private goes(now: number, outcome: EndpointOutcome, random: number): this {
    const { health, event } = afterOutcome(this.health, outcome, RULES, now, random);
    this.health = health;
    if (event) this.events.push(event);
    return this;
  }
}

/** To the last moment before it is disabled, tried now and again. */
function failingForDays(): Story {
  const story = new Story().fails(0).fails(0).fails(0);
  for (const share of [0.25, 0.5, 0.75]) story.fails(share * RULES.disableAfterMs);
  return story.fails(RULES.disableAfterMs - 1);
}

describe('an endpoint', () => {
  it('is left alone after so many failures in a row, and operators see one event', () => {
    const story = new Story().fails(1).fails(2);
    expect(isOpen(story.health)).toBe(false);
    story.fails(3);
    expect(story.health).toMatchObject({ state: 'failing', openedAt: 3, probeAt: 5003 });
    expect(story.health).toMatchObject({ failingSince: 1, lastError: 'HTTP 503' });
    story.fails(5003);
    expect(story.events).toEqual(['endpoint.failing']);
  });

  it('begins to count anew with every success', () => {
    const story = new Story().fails(1).fails(2).succeeds(3).fails(4).fails(5);
    expect(isOpen(story.health)).toBe(false);
    expect(story.health.failingSince).toBe(4);
  });

  it('is there when it rejects an event or wants no more of a webhook', () => {
    const story = new Story().fails(1).fails(2).refuses(3).fails(4).fails(5);
    expect(isOpen(story.health)).toBe(false);
  });

  it('is tried after pauses that double up to the limit, with jitter', () => {
    const story = new Story().fails(0).fails(0).fails(0);
    const pauses: number[] = [];
    for (let i = 0; i < 5; i++) {
      const at = story.health.probeAt!;
      story.fails(at);
      pauses.push(story.health.probeAt! - at);
    }
    expect(pauses).toEqual([10_000, 20_000, 40_000, 40_000, 40_000]);
    expect(new Story().fails(0).fails(0).fails(0, {}, 0).health.probeAt).toBe(4000);
    expect(new Story().fails(0).fails(0).fails(0, {}, 0.999_999).health.probeAt).toBe(6000);
  });

  it('is tried again soon by another webhook when one gets an answer of its own', () => {
    const story = new Story().fails(0).fails(0).fails(0);
    const at = story.health.probeAt!;
    story.fails(at, { blame: 'webhook' });
    expect(story.health.probeAt! - at).toBe(5000);
  });

  it('recovers with the first success of a probe, and then begins with few places', () => {
    const story = new Story().succeeds(0).succeeds(0).succeeds(0).fails(1).fails(1).fails(1);
    story.succeeds(6000);
    expect(story.health).toMatchObject({
      state: 'healthy',
      probeAt: null,
      failures: 0,
      concurrency: 2,
    });
    expect(story.events).toEqual(['endpoint.failing', 'endpoint.recovered']);
  });

  it('is not judged by attempts that began before it was left alone', () => {
    const story = new Story().fails(100).fails(100).fails(100);
    const { probeAt } = story.health;
    story.succeeds(200, 50);
    expect(story.health.probeAt).toBe(probeAt);
    story.fails(300, { begunAt: 50 });
    expect(story.health.probeAt).toBe(probeAt);
  });

  it('gets more places with each success, up to the most', () => {
    const story = new Story();
    const concurrency = [story.health.concurrency];
    for (let i = 0; i < 4; i++) concurrency.push(story.succeeds(i).health.concurrency);
    expect(concurrency).toEqual([2, 4, 8, 10, 10]);
    expect(story.fails(9).health.concurrency).toBe(5);
    for (let i = 0; i < 5; i++) story.fails(10);
    expect(story.health.concurrency).toBe(1);
  });

  it('is not written for a success that changes nothing', () => {
    const { health } = new Story().succeeds(0).succeeds(0).succeeds(0);
    const again = afterOutcome(health, { kind: 'delivered', begunAt: 1 }, RULES, 59_999, MIDDLE);
    expect(again.health).toBe(health);
    const later = afterOutcome(health, { kind: 'delivered', begunAt: 1 }, RULES, 60_000, MIDDLE);
    expect(later.health.lastSuccessAt).toBe(60_000);
  });

  it('is not written again for a refusal that is known, but is for the success that follows', () => {
    const { health } = new Story().succeeds(0).succeeds(0).succeeds(0).refuses(1000);
    expect(health).toMatchObject({ lastFailureAt: 1000, lastError: 'HTTP 410' });
    const next = (outcome: Partial<EndpointOutcome>, now: number): EndpointHealth =>
      afterOutcome(health, { ...outcome, begunAt: now } as EndpointOutcome, RULES, now, MIDDLE)
        .health;
    expect(next({ kind: 'answered', error: 'HTTP 410' }, 1749)).toBe(health);
    expect(next({ kind: 'answered', error: 'HTTP 410' }, 1750).lastFailureAt).toBe(1750);
    expect(next({ kind: 'answered', error: 'HTTP 413' }, 1001).lastError).toBe('HTTP 413');
    expect(next({ kind: 'delivered' }, 1001).lastSuccessAt).toBe(1001);
  });

  it('is written twice in a second at most, of each 0.75 s, when its webhooks are answered differently', () => {
    const story = new Story().succeeds(0).succeeds(0).succeeds(0);
    let writes = 0;
    for (let now = 1; now <= 7500; now += 1) {
      const { health } = story;
      if (now % 2 === 0) story.succeeds(now);
      else story.refuses(now, now % 3 === 0 ? 'HTTP 400' : 'HTTP 422');
      if (story.health !== health) writes += 1;
    }
    expect(writes).toBe(20);
    expect(7500 - story.health.lastFailureAt!).toBeLessThan(750);
  });

  it('is written at the first refusal after a failure, however soon', () => {
    const story = new Story().fails(1).succeeds(2).refuses(3, 'HTTP 400');
    expect(story.health).toMatchObject({ lastFailureAt: 3, lastError: 'HTTP 400' });
  });

  it('has recovered once it accepts something, not while it rejects what it gets', () => {
    const story = new Story().fails(1).fails(2).fails(3).refuses(5003);
    expect(story.health).toMatchObject({ state: 'failing', failures: 0, failingSince: null });
    expect(isOpen(story.health)).toBe(false);
    expect(story.events).toEqual(['endpoint.failing']);
    const { health } = story;
    expect(story.refuses(5100).health).toBe(health);
    story.succeeds(6000);
    expect(story.health.state).toBe('healthy');
    expect(story.events).toEqual(['endpoint.failing', 'endpoint.recovered']);
  });

  it('is held for its Retry-After up to the limit, without counting as failing', () => {
    const story = new Story().fails(0, { retryAfterMs: 30_000 });
    expect(story.health).toMatchObject({ state: 'healthy', probeAt: 30_000 });
    expect(story.events).toEqual([]);
    expect(new Story().fails(0, { retryAfterMs: 1e12 }).health.probeAt).toBe(3_600_000);
    expect(new Story().fails(0, { retryAfterMs: 0 }).health.probeAt).toBeNull();
  });

  it('waits as long again each time it asks for that, and is not disabled for it', () => {
    const story = new Story();
    const day = 86_400_000;
    for (let n = 0; n <= 20; n++) story.fails(n * day, { retryAfterMs: 4000 });
    expect(story.health).toMatchObject({ failures: 0, failingSince: null, probes: 0 });
    expect(story.health.probeAt).toBe(20 * day + 4000);
    expect(story.events).toEqual([]);
    story.fails(21 * day, { retryAfterMs: 4000, exhausted: true });
    expect(story.events).toEqual(['endpoint.failing']);
  });

  it('counts as failing when a delivery to it is given up', () => {
    const story = new Story().fails(0, { exhausted: true });
    expect(story.events).toEqual(['endpoint.failing']);
    expect(story.health).toMatchObject({ state: 'failing', probeAt: null });
  });

  it('is disabled after days of nothing but failures', () => {
    const story = failingForDays();
    expect(story.health.state).toBe('failing');
    story.fails(RULES.disableAfterMs);
    expect(story.health).toMatchObject({ state: 'disabled', disabledAt: RULES.disableAfterMs });
    expect(story.events.at(-1)).toBe('endpoint.disabled');
  });

  it('is not disabled for a time without attempts', () => {
    const story = new Story().fails(0).fails(0).fails(0);
    story.fails(RULES.disableAfterMs).fails(RULES.disableAfterMs + 1);
    expect(story.health).toMatchObject({
      state: 'failing',
      failingSince: (3 * RULES.disableAfterMs) / 4,
    });
  });

  it('is never disabled by answers that may be one webhook’s own trouble', () => {
    const story = new Story();
    for (let day = 0; day <= 10; day++) {
      const at = (day * RULES.disableAfterMs) / 5;
      story.fails(at, { blame: 'webhook', exhausted: true });
    }
    expect(story.health).toMatchObject({ state: 'failing', failingSince: null });
    // Somebody was there until now, so the days of another webhook's failures begin now.
    story.fails(2 * RULES.disableAfterMs + 1);
    expect(story.health).toMatchObject({
      state: 'failing',
      failingSince: 2 * RULES.disableAfterMs + 1,
    });
  });

  it('is never disabled, but left alone, while names cannot be looked up', () => {
    const story = new Story();
    for (let day = 0; day <= 10; day++) {
      story.fails((day * RULES.disableAfterMs) / 5, { blame: 'way', exhausted: true });
    }
    expect(story.health).toMatchObject({ state: 'failing', failingSince: null });
    expect(story.health.probeAt).not.toBeNull();
  });

  it('is enabled again, with as many days, when a webhook uses it after it was disabled', () => {
    const story = failingForDays().fails(RULES.disableAfterMs);
    const at = RULES.disableAfterMs + 10;
    expect(story.health.probeAt!).toBeLessThanOrEqual(at);
    story
      .fails(at)
      .fails(at + 1)
      .fails(at + 2)
      .fails(at + 3);
    expect(story.health).toMatchObject({ state: 'failing', failingSince: at });
    story.succeeds(at + 4);
    expect(story.events.slice(2)).toEqual(['endpoint.failing', 'endpoint.recovered']);
  });
});
