import { expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import type { AttemptTime } from './attempt-times.js';
import { ATTEMPTS_LOOKED_AT, ReceiverLatencies } from './receiver-latencies.js';

const DAY_MS = 86_400_000;

/** Attempts of a receiver, at the time 0 unless they say otherwise. */
function time(endpoint: string, durationMs: number, changes: Partial<AttemptTime> = {}) {
  return { endpoint, durationMs, isRounded: false, at: new Date(0), ...changes };
}

it('tells median and 95 of 100 of each receiver, read once for all who ask', async () => {
  const times = Array.from({ length: 100 }, (_, n) =>
    time('acme https://a.example:443', 100 - n, { at: new Date(n) }),
  );
  times.push(time('acme https://b.example:443', 7));
  const asked: number[] = [];
  const newest = (limit: number) => {
    asked.push(limit);
    return Promise.resolve(times);
  };
  const latencies = new ReceiverLatencies({ newest }, new SettableClock(1000));
  const [found] = await Promise.all([latencies.all(), latencies.all()]);
  const [a, b] = [
    { attempts: 100, medianMs: 50, p95Ms: 95, isRounded: false, measuredAt: new Date(99) },
    { attempts: 1, medianMs: 7, p95Ms: 7, isRounded: false, measuredAt: new Date(0) },
  ];
  expect([...found]).toEqual([
    ['acme https://a.example:443', a],
    ['acme https://b.example:443', b],
  ]);
  expect(asked).toEqual([ATTEMPTS_LOOKED_AT]);
  times.length = 0;
  expect((await latencies.all()).size).toBe(2);
});

it('says that times are upper bounds when an attempt was rounded, not when it took whole seconds', async () => {
  const times = [
    time('acme public', 2000),
    time('acme private', 1000),
    time('acme private', 2000, { isRounded: true }),
  ];
  const newest = () => Promise.resolve(times);
  const found = await new ReceiverLatencies({ newest }, new SettableClock(1000)).all();
  expect(found.get('acme public')).toMatchObject({ isRounded: false });
  expect(found.get('acme private')).toMatchObject({ isRounded: true });
});

it('keeps what was measured of a receiver last, when others have all of the newest attempts, for a day', async () => {
  const clock = new SettableClock(0);
  let times: AttemptTime[] = [time('acme quiet', 2000)];
  const latencies = new ReceiverLatencies({ newest: () => Promise.resolve(times) }, clock);
  const after = async (ms: number) => {
    clock.ms += ms;
    return latencies.all();
  };
  const quiet = { medianMs: 2000, measuredAt: new Date(0) };
  expect((await latencies.all()).get('acme quiet')).toMatchObject(quiet);
  times = [time('acme busy', 3)];
  const found = await after(60_000);
  expect(found.get('acme quiet')).toMatchObject(quiet);
  expect(found.get('acme busy')).toMatchObject({ medianMs: 3 });
  expect((await after(DAY_MS - 60_000)).has('acme quiet')).toBe(true);
  const late = await after(60_000);
  expect(late.has('acme quiet')).toBe(false);
  // Its attempts are as old, but there are none that are newer.
  expect(late.has('acme busy')).toBe(true);
});

it('keeps so many receivers at most', async () => {
  const clock = new SettableClock(0);
  let times = [time('acme first', 1)];
  const latencies = new ReceiverLatencies({ newest: () => Promise.resolve(times) }, clock);
  await latencies.all();
  times = Array.from({ length: 6000 }, (_, n) => time(`acme ${n}`, 1));
  clock.ms = 60_000;
  const found = await latencies.all();
  expect(found.size).toBe(5000);
  expect(found.has('acme first')).toBe(false);
});
