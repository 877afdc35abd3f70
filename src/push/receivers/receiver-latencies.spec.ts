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
    ['acme https://a.example:443', { attempts: 100, medianMs: 50, p95Ms: 95 }],
    ['acme https://b.example:443', { attempts: 1, medianMs: 7, p95Ms: 7 }],
  ]);
  expect(asked).toEqual([ATTEMPTS_LOOKED_AT]);
  times.length = 0;
  expect((await latencies.all()).size).toBe(2);
});
