import { expect, it } from '@jest/globals';
import { readTraceparent } from '../../common/tracing/trace-context.js';
import { OtlpTracing, type SamplingRules } from './otlp-tracing.js';
import type { RecordedSpan } from './recorded-span.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SAMPLED = `00-${TRACE}-b7ad6b7169203331-01`;
const UNSAMPLED = `00-${TRACE}-b7ad6b7169203331-00`;

function tracing(
  rules: Partial<SamplingRules> = {},
  random = 0.5,
): { traces: OtlpTracing; spans: RecordedSpan[] } {
  const spans: RecordedSpan[] = [];
  const queue = {
    add: (span: RecordedSpan) => void spans.push(span),
    start: () => undefined,
    close: () => Promise.resolve(),
  };
  const all = { sample: 1, trustParent: true, ...rules };
  return { traces: new OtlpTracing(all, queue, Date.now, () => random), spans };
}

it.each<[string | undefined, Partial<SamplingRules>, boolean]>([
  [SAMPLED, { sample: 0 }, true],
  [UNSAMPLED, { sample: 1 }, false],
  [undefined, { sample: 0.51 }, true],
  [undefined, { sample: 0.49 }, false],
  ['nonsense', { sample: 0.51 }, true],
  [SAMPLED, { trustParent: false, sample: 0 }, false],
  [UNSAMPLED, { trustParent: false, sample: 1 }, true],
])('a request with %s under %j is recorded: %s', (incoming, rules, isRecorded) => {
  const { traces } = tracing(rules);
  const { traceparent, span } = traces.enter(incoming);
  expect(span !== undefined).toBe(isRecorded);
  expect(readTraceparent(traceparent)!.isSampled).toBe(isRecorded);
  // Its children decide alike.
  expect(traces.begin(traceparent, 'child', 'client') !== undefined).toBe(isRecorded);
  if (readTraceparent(incoming ?? '')) expect(traceparent).toContain(TRACE);
});

it('hands on what came where nothing is recorded', () => {
  const { traces } = tracing();
  expect(traces.enter(UNSAMPLED).traceparent).toBe(UNSAMPLED);
  expect(traces.within(UNSAMPLED, 'd')).toBe(UNSAMPLED);
  expect(traces.begin(null, 'child', 'client')).toBeUndefined();
});

it('records a span once, at its end, and nothing of what comes later', () => {
  const { traces, spans } = tracing();
  const { span } = traces.enter(SAMPLED);
  span!.set('a', 'x'.repeat(1000));
  span!.set('none', undefined);
  for (let i = 0; i < 40; i++) span!.event('e', {});
  span!.end('broken');
  span!.set('late', 1);
  span!.end();
  expect(spans).toHaveLength(1);
  const [{ attributes, events, droppedEvents, failed, parent, ended, begun }] = spans as [
    RecordedSpan,
  ];
  expect(Object.keys(attributes)).toEqual(['a', 'error.type']);
  expect(String(attributes['a'])).toHaveLength(256);
  expect([events.length, droppedEvents, failed]).toEqual([32, 8, true]);
  expect(parent!.spanId).toBe('b7ad6b7169203331');
  expect(ended).toBeGreaterThanOrEqual(begun);
});

it('gives a span that ends elsewhere the same id in every process', () => {
  const first = tracing();
  const second = tracing();
  const parent = first.traces.within(SAMPLED, 'delegation 1');
  second.traces.record({
    ...{ traceparent: SAMPLED, idOf: 'delegation 1', name: 'd', kind: 'internal', attributes: {} },
    ...{ begunAt: new Date(1000), endedAt: new Date(500) },
  });
  const [span] = second.spans;
  expect(span!.context.spanId).toBe(readTraceparent(parent)!.spanId);
  expect([span!.begun, span!.ended]).toEqual([1000, 1000]);
  expect(first.traces.within(SAMPLED, 'delegation 2')).not.toBe(parent);
});
