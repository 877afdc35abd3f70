import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FakeClock } from './support/fake-clock.js';
import { Metrics } from '../src/observability/metrics.js';
import type { RecordedSpan } from '../src/observability/tracing/recorded-span.js';
import { type SendSpans, type Sent, SpanExport } from '../src/observability/tracing/span-export.js';

const CONTEXT = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };
const SPAN: RecordedSpan = {
  ...{ context: CONTEXT, parent: undefined, name: 's', kind: 'internal' },
  ...{ begun: 0, ended: 1, attributes: {}, events: [], droppedEvents: 0, failed: false },
};
const TAKEN: Sent = { refused: 0 };
const AWAY: Sent = { refused: 0, againAfterMs: 0, trouble: 'away' };

let clock: FakeClock;
let metrics: Metrics;
let batches: number[];
let warned: unknown[];
let answer: Sent | Promise<Sent>;
let spans: SpanExport;

beforeEach(() => {
  clock = new FakeClock();
  metrics = new Metrics();
  batches = [];
  warned = [];
  answer = TAKEN;
  const send: SendSpans = (batch) => {
    batches.push(batch.length);
    return Promise.resolve(answer);
  };
  const log = { warn: (fields: unknown) => warned.push(fields), info: () => undefined };
  spans = new SpanExport(send, 1000, clock, log, metrics);
  spans.start();
});

const add = (count: number): void => {
  for (let i = 0; i < count; i++) spans.add(SPAN);
};
const counted = async (name: string): Promise<number> => {
  const { body } = await metrics.render();
  return Number(new RegExp(`^a2a_hub_trace_spans_${name} (\\d+)$`, 'm').exec(body)?.[1]);
};

describe('an export of spans', () => {
  it('sends what waits every second, in batches', async () => {
    add(300);
    await clock.advance(1000);
    expect(batches).toEqual([256, 44]);
    await clock.advance(5000);
    expect(batches).toHaveLength(2);
    expect(await counted('sent_total')).toBe(300);
  });

  it('sends at once when a batch is full', async () => {
    await clock.advance(1);
    add(256);
    await clock.advance(1);
    expect(batches).toEqual([256]);
  });

  it('keeps what fits, drops the rest, and says so once a minute', async () => {
    answer = AWAY;
    add(1500);
    await clock.advance(2000);
    add(500);
    await clock.advance(1000);
    expect(await counted('dropped_total{reason="queue-full"}')).toBeGreaterThanOrEqual(744);
    expect(warned).toHaveLength(1);
    await clock.advance(200_000);
    expect(warned.length).toBeLessThanOrEqual(5);
    expect(warned.at(-1)).toMatchObject({ trouble: 'away' });
  });

  it('repeats a batch after longer and longer pauses, and goes on when the collector is back', async () => {
    answer = AWAY;
    add(10);
    await clock.advance(1000);
    expect(batches).toEqual([10]);
    await clock.advance(1000 + 2000);
    expect(batches).toEqual([10, 10, 10]);
    answer = TAKEN;
    await clock.advance(4000);
    expect(batches).toEqual([10, 10, 10, 10]);
    expect(await counted('sent_total')).toBe(10);
    expect(warned).toEqual([]);
  });

  it('waits no longer for a collector in trouble when the clock is set back', async () => {
    answer = AWAY;
    add(10);
    await clock.advance(1000);
    answer = TAKEN;
    jest.spyOn(clock, 'now').mockImplementation(() => new Date(0));
    await clock.advance(2000);
    expect(batches).toEqual([10, 10]);
  });

  it('gives a batch up after five attempts', async () => {
    answer = AWAY;
    add(10);
    await clock.advance(60_000);
    expect(batches).toEqual([10, 10, 10, 10, 10]);
    expect(await counted('dropped_total{reason="unreachable"}')).toBe(10);
    expect(warned).toEqual([{ dropped: { unreachable: 10 }, trouble: 'away' }]);
  });

  it('does not repeat what is refused', async () => {
    answer = { refused: 4, trouble: 'refused' };
    add(10);
    await clock.advance(60_000);
    expect(batches).toEqual([10]);
    expect(await counted('sent_total')).toBe(6);
    expect(await counted('dropped_total{reason="refused"}')).toBe(4);
  });

  it('makes one request at a time', async () => {
    let free: (sent: Sent) => void = () => undefined;
    answer = new Promise((resolve) => (free = resolve));
    add(600);
    await clock.advance(100_000);
    expect(batches).toEqual([256]);
    free(TAKEN);
    await clock.advance(1);
    expect(batches).toEqual([256, 256, 88]);
  });

  it('sends what waits at the end', async () => {
    add(10);
    await spans.close();
    expect(batches).toEqual([10]);
  });
});
