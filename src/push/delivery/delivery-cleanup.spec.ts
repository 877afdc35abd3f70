import { beforeEach, describe, expect, it } from '@jest/globals';
import { DeliveryCleanup } from './delivery-cleanup.js';
import { EndpointStore } from '../receivers/endpoint-store.js';
import { CleanupStore, type Waits } from './cleanup-store.js';

const START = 100_000_000_000;
const WAITS = { scheduleMs: [1000], retryAfterMaxMs: 0, jitter: 0, breaker: { maxPauseMs: 0 } };
const SETTINGS = { ...WAITS, attemptRetentionDays: 30, timeoutMs: 1000 };

describe('DeliveryCleanup', () => {
  let done: string[];
  let failing: string | null;
  let errors: number;
  beforeEach(() => {
    [done, failing, errors] = [[], null, 0];
  });

  const work = <T>(name: string, result: T): Promise<T> => {
    done.push(name);
    return name === failing
      ? Promise.reject(new Error('statement timeout'))
      : Promise.resolve(result);
  };

  function cleanup(): DeliveryCleanup {
    const store = Object.assign(Object.create(CleanupStore.prototype) as CleanupStore, {
      prune: () => work('attempts', 0),
      repairTimes: (_: Date, __: Waits, thorough: boolean) =>
        work(thorough ? 'repair all' : 'repair', 0),
      disableWebhooks: () => work('sweep', false),
    });
    const endpoints = Object.assign(Object.create(EndpointStore.prototype) as EndpointStore, {
      prune: () => work('events', 0),
    });
    const quiet = () => undefined;
    const log = { debug: quiet, info: quiet, warn: quiet, error: () => void (errors += 1) };
    return new DeliveryCleanup(store, endpoints, log, SETTINGS);
  }

  const at = (ms: number): Date => new Date(START + ms);

  it('does each job in its time', async () => {
    const one = cleanup();
    for (const ms of [0, 500, 1000, 60_000, 3_600_000]) {
      await one.run(at(ms));
      done.push('|');
    }
    expect(done.join(' ')).toBe(
      'repair all sweep attempts events | | sweep | repair sweep | repair sweep attempts events |',
    );
  });

  it.each(['repair all', 'sweep', 'attempts', 'events'])(
    'does the others when it fails to %s, and tries that again a minute later, not at once',
    async (job) => {
      failing = job;
      const one = cleanup();
      expect(await one.run(at(0))).toBe(false);
      expect(done).toEqual(['repair all', 'sweep', 'attempts', 'events']);
      expect(errors).toBe(1);
      const tries = () => done.filter((each) => each === job).length;
      await one.run(at(59_000));
      expect(tries()).toBe(1);
      await one.run(at(60_000));
      expect(tries()).toBe(2);
    },
  );

  it('looks at every stream again when the clock was set back', async () => {
    const one = cleanup();
    await one.run(at(0));
    done = [];
    await one.run(at(-5000));
    expect(done).toEqual(['repair all', 'sweep', 'attempts', 'events']);
  });
});
