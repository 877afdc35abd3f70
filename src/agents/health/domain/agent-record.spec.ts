import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { openTimeMs, releaseProbe, stateOf, takeProbe } from '../../../common/circuit-breaker.js';
import { afterOutcome, type AgentRecord, newRecord, type Outcome } from './agent-record.js';
import { breakerRules, type HealthRules } from './health-rules.js';

const RULES: HealthRules = {
  failuresToDown: 3,
  successesToHealthy: 2,
  failureRate: 0.5,
  openMinMs: 5000,
  openMaxMs: 300_000,
};
const START = 1_700_000_000_000;
const PROBE_MS = 60_000;

type Step = 'ok' | 'fail' | 'check ok' | 'check fail';

/** An agent that lives through outcomes one after another, each known before the next call begins. */
class Life {
  now = START;
  record: AgentRecord = newRecord(START);

  constructor(
    readonly rules = RULES,
    private readonly jitter = 0,
  ) {}

  step(step: Step, afterMs = 2000): this {
    this.now += afterMs;
    const by = step.startsWith('check') ? 'health-check' : 'call';
    return this.take(
      step.endsWith('ok')
        ? { ok: true, by, latencyMs: 10 }
        : { ok: false, by, error: 'no', faultsBefore: this.record.faults },
    );
  }

  take(outcome: Outcome): this {
    this.record = afterOutcome(this.record, outcome, this.rules, this.now, this.jitter);
    return this;
  }

  wait(ms: number): this {
    this.now += ms;
    return this;
  }

  get breaker(): string {
    return stateOf(this.record.breaker, this.now);
  }

  get shown(): string {
    return `${this.record.health}, ${this.breaker}`;
  }
}

const steps = fc.array(
  fc.tuple(
    fc.constantFrom<Step>('ok', 'fail', 'check ok', 'check fail'),
    fc.integer({ min: 0, max: 120_000 }),
  ),
  { maxLength: 60 },
);

const lived = steps.map((all) => {
  const life = new Life();
  for (const [step, afterMs] of all) life.step(step, afterMs);
  return life;
});

describe('the health of an agent', () => {
  it('is unknown, healthy from the first success, degraded by one failure', () => {
    const life = new Life();
    expect(life.shown).toBe('unknown, closed');
    expect(life.step('ok').shown).toBe('healthy, closed');
    expect(life.step('fail').shown).toBe('degraded, closed');
    expect(life.step('ok').shown).toBe('degraded, closed');
    expect(life.step('ok').shown).toBe('healthy, closed');
  });

  it('is down after three failures in a row, and its breaker is open then', () => {
    const life = new Life().step('ok').step('fail').step('fail');
    expect(life.shown).toBe('degraded, closed');
    expect(life.step('fail').shown).toBe('down, open');
    expect(life.record.lastError).toBe('no');
    expect(life.wait(5000).shown).toBe('down, half-open');
    expect(life.step('ok', 0).shown).toBe('degraded, closed');
    expect(life.step('ok').shown).toBe('healthy, closed');
  });

  it('changes its time of change only when it changes', () => {
    const life = new Life().step('ok');
    const { since } = life.record;
    expect(life.step('ok').record.since).toBe(since);
    expect(life.step('fail').record.since).toBe(life.now);
  });

  it('counts the calls that one crash cut as one failure', () => {
    const life = new Life().step('ok');
    const { faults } = life.record;
    for (let call = 0; call < 50; call++) {
      life.wait(1).take({ ok: false, by: 'call', error: 'cut', faultsBefore: faults });
    }
    expect(life.shown).toBe('degraded, closed');
    expect(life.record.failures).toBe(1);
  });

  it('counts calls that fail one after another, though all began before the first had', () => {
    const life = new Life().step('ok');
    const { faults } = life.record;
    for (let call = 0; call < 3; call++) {
      life.wait(1500).take({ ok: false, by: 'call', error: 'late', faultsBefore: faults });
    }
    expect(life.shown).toBe('down, open');
  });

  it('is never down while a success comes between any three failures', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const life = new Life();
        let inRow = 0;
        for (const [step, afterMs] of all) {
          const fails = step.endsWith('fail') && inRow < RULES.failuresToDown - 1;
          inRow = fails ? inRow + 1 : 0;
          const mild = fails ? step : step.startsWith('check') ? 'check ok' : 'ok';
          life.step(mild, afterMs);
          expect(life.record.health).not.toBe('down');
        }
      }),
    );
  });

  it('is down, and gets no work, after three failed calls, whatever was before', () => {
    fc.assert(
      fc.property(lived, (life) => {
        for (let call = 0; call < RULES.failuresToDown; call++) life.step('fail', 0);
        expect(life.record.health).toBe('down');
        expect(life.breaker).toBe('open');
      }),
    );
  });

  it('always comes back after it answers again', () => {
    fc.assert(
      fc.property(lived, fc.constantFrom<Step>('ok', 'check ok'), (life, success) => {
        life.wait(RULES.openMaxMs);
        for (let call = 0; call < RULES.successesToHealthy; call++) life.step(success, 1);
        expect(life.shown).toBe('healthy, closed');
      }),
    );
  });
});

describe('the breaker', () => {
  const down = (): Life => new Life().step('fail').step('fail').step('fail');

  it('opens twice as long each time a probe fails, up to the longest, and anew after a success', () => {
    const life = down();
    const times: number[] = [];
    for (let opening = 0; opening < 8; opening++) {
      const ms = life.record.breaker.openUntil! - life.now;
      times.push(ms);
      expect(life.wait(ms).breaker).toBe('half-open');
      life.step('fail', 0);
    }
    expect(times).toEqual([5, 10, 20, 40, 80, 160, 300, 300].map((s) => s * 1000));
    life.wait(300_000).step('ok', 0);
    for (let call = 0; call < 3; call++) life.step('fail');
    expect(life.record.breaker.openUntil! - life.now).toBe(5000);
  });

  it('stays open between the shortest and the longest time, whatever chance says', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (openings, jitter) => {
          const ms = openTimeMs(openings, breakerRules(RULES), jitter);
          expect(ms).toBeGreaterThanOrEqual(0.8 * RULES.openMinMs);
          expect(ms).toBeLessThanOrEqual(RULES.openMaxMs);
        },
      ),
    );
  });

  it('lets one through when it is half-open, and the next when that came to nothing', () => {
    const life = down();
    expect(takeProbe(life.record.breaker, life.now, PROBE_MS)).toBeUndefined();
    life.wait(5000);
    const taken = takeProbe(life.record.breaker, life.now, PROBE_MS)!;
    expect(takeProbe(taken, life.now, PROBE_MS)).toBeUndefined();
    expect(takeProbe(taken, life.now + PROBE_MS, PROBE_MS)).toBeDefined();
    expect(takeProbe(releaseProbe(taken), life.now, PROBE_MS)).toBeDefined();
  });

  it('lets one through when the clock was set back to before it opened', () => {
    const { breaker } = down().record;
    const earlier = breaker.openUntil! - 3_600_000;
    expect(stateOf(breaker, earlier)).toBe('half-open');
    const taken = takeProbe({ ...breaker, probeUntil: breaker.openUntil }, earlier, PROBE_MS);
    expect(taken).toMatchObject({ probeUntil: earlier + PROBE_MS });
  });

  it('has no probe to give before it has opened', () => {
    const life = new Life().step('ok');
    expect(takeProbe(life.record.breaker, life.now, PROBE_MS)).toBeUndefined();
  });

  it('is half-open at once when the agent shows life before the time is over', () => {
    const life = down();
    expect(life.step('ok', 100).shown).toBe('degraded, half-open');
    expect(life.step('ok', 100).shown).toBe('healthy, closed');
  });

  it('takes no notice of calls that fail late while it is open', () => {
    const life = down();
    const { openUntil } = life.record.breaker;
    life.step('fail', 100);
    expect(life.record.breaker.openUntil).toBe(openUntil);
  });

  it('opens for longer at the first failed call when only the card has answered since', () => {
    const life = down().wait(5000).step('check ok', 0);
    expect(life.breaker).toBe('closed');
    life.step('fail', 100);
    expect(life.shown).toBe('degraded, open');
    expect(life.record.breaker.openUntil! - life.now).toBe(10_000);
  });

  it('opens when half of the last calls fail, though never three in a row', () => {
    const life = new Life();
    for (let call = 0; call < 9; call++) life.step(call % 2 === 0 ? 'fail' : 'ok');
    expect(life.shown).toBe('degraded, closed');
    expect(life.step('fail').shown).toBe('degraded, open');
  });

  it('does not open for the same failures over a long time', () => {
    const life = new Life();
    for (let call = 0; call < 100; call++) life.step(call % 2 === 0 ? 'fail' : 'ok', 30_000);
    expect(life.shown).toBe('degraded, closed');
  });

  it('never gives two probes for one opening, whatever happens', () => {
    fc.assert(
      fc.property(lived, (life) => {
        const taken = takeProbe(life.record.breaker, life.now, PROBE_MS);
        if (taken) expect(takeProbe(taken, life.now + PROBE_MS - 1, PROBE_MS)).toBeUndefined();
      }),
    );
  });
});
