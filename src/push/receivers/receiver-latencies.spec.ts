import { expect, it } from '@jest/globals';
import { SystemClock } from '../../common/clock.js';
import type { AttemptTime } from './attempt-times.js';
import { ATTEMPTS_LOOKED_AT, ReceiverLatencies } from './receiver-latencies.js';

it('tells median and 95 of 100 of each receiver, read once for all who ask', async () => {
  const times: AttemptTime[] = Array.from({ length: 100 }, (_, n) => ({
    endpoint: 'acme https://a.example:443',
    durationMs: 100 - n,
  }));
  times.push({ endpoint: 'acme https://b.example:443', durationMs: 7 });
  const asked: number[] = [];
  const newest = (limit: number) => {
    asked.push(limit);
    return Promise.resolve(times);
  };
  const latencies = new ReceiverLatencies({ newest }, new SystemClock());
  const [found] = await Promise.all([latencies.all(), latencies.all()]);
  expect([...found]).toEqual([
    ['acme https://a.example:443', { attempts: 100, medianMs: 50, p95Ms: 95, isRounded: false }],
    ['acme https://b.example:443', { attempts: 1, medianMs: 7, p95Ms: 7, isRounded: false }],
  ]);
  expect(asked).toEqual([ATTEMPTS_LOOKED_AT]);
  times.length = 0;
  expect((await latencies.all()).size).toBe(2);
});

it('keeps what was measured of a receiver last, when others have all of the newest attempts', async () => {
  let now = 0;
  const clock = Object.assign(new SystemClock(), { now: () => new Date(now) });
  let times: AttemptTime[] = [{ endpoint: 'acme quiet', durationMs: 2000 }];
  const latencies = new ReceiverLatencies({ newest: () => Promise.resolve(times) }, clock);
  const quiet = { attempts: 1, medianMs: 2000, p95Ms: 2000, isRounded: true };
  expect((await latencies.all()).get('acme quiet')).toEqual(quiet);
  times = [{ endpoint: 'acme busy', durationMs: 3 }];
  now += 60_000;
  const found = await latencies.all();
  expect(found.get('acme quiet')).toEqual(quiet);
  expect(found.get('acme busy')).toMatchObject({ medianMs: 3, isRounded: false });
  times = Array.from({ length: 6000 }, (_, n) => ({ endpoint: `acme ${n}`, durationMs: 1 }));
  now += 60_000;
  expect((await latencies.all()).size).toBe(5000);
});
