import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { SettableClock } from '../common/fake-settable-clock.js';
import type { Log } from '../common/logger.js';
import { configWith } from '../config/index.js';
import { KeylessWarnings } from './keyless-warnings.js';

/** Its sleepers wake when the time is moved on. */
class MovedClock extends SettableClock {
  private wake: () => void = () => undefined;
  override sleep(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }
  async pass(ms: number): Promise<void> {
    this.ms += ms;
    this.wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const GRACE_MS = 5000;
let clock: MovedClock;
let keyless: Map<string, Date>;
let warned: string[];
let warnings: KeylessWarnings;

beforeEach(() => {
  [clock, keyless, warned] = [new MovedClock(), new Map<string, Date>(), []];
  const store = {
    keylessBetween: (from: Date, until: Date) => {
      const found = [...keyless].filter(([, since]) => since > from && since <= until);
      return Promise.resolve(found.map(([id]) => id));
    },
  };
  const log = {
    warn: ({ principal }: { principal: string }) => warned.push(principal),
  } as unknown as Log;
  const config = configWith({ auth: { keylessGraceMs: GRACE_MS } });
  warnings = new KeylessWarnings(config, store, clock, log);
  warnings.onApplicationBootstrap();
});

afterEach(() => warnings.onModuleDestroy());

function note(principal: string, agoMs: number): void {
  const since = new Date(clock.ms - agoMs);
  keyless.set(principal, since);
  warnings.noted({ principal, since });
}

it('warns of a key that expired in a downtime longer than the grace', async () => {
  note('alice', 3_600_000);
  await clock.pass(60_000);
  await clock.pass(60_000);
  expect(warned).toEqual(['alice']);
});

it('warns once of an expiry that is noted after the look that would have found it', async () => {
  await clock.pass(60_000);
  note('alice', GRACE_MS + 1000);
  expect(warned).toEqual(['alice']);
  await clock.pass(60_000);
  expect(warned).toEqual(['alice']);
});

it('warns when the grace is over of what is noted before', async () => {
  note('alice', 1000);
  expect(warned).toEqual([]);
  await clock.pass(60_000);
  await clock.pass(60_000);
  expect(warned).toEqual(['alice']);
});
