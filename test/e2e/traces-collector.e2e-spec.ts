import type { ServerResponse } from 'node:http';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Egress } from '../../src/common/egress/egress.js';
import { otlpSender } from '../../src/observability/tracing/otlp-sender.js';
import type { RecordedSpan } from '../../src/observability/tracing/recorded-span.js';
import type { Sent } from '../../src/observability/tracing/span-export.js';
import { startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { type CollectorAnswer, OtlpCollector } from '../support/otlp-collector.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const SPAN: RecordedSpan = {
  context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true },
  parent: undefined,
  name: 'span',
  kind: 'internal',
  begun: 1_700_000_000_000.25,
  ended: 1_700_000_000_001.5,
  attributes: { text: 'é', whole: 3, yes: true, list: ['a', 'b'] },
  events: [{ name: 'e', at: 1_700_000_000_001, attributes: { n: 1 } }],
  droppedEvents: 0,
  failed: true,
};
const SOURCE = { serviceName: 'hub', version: '1', instanceId: 'i' };

let collector: OtlpCollector;
let egress: Egress;

beforeAll(async () => {
  collector = await OtlpCollector.start();
  egress = new Egress({ allow: ['127.0.0.0/8'] });
});

afterAll(async () => {
  await egress?.close();
  await collector?.close();
});

function send(
  url = collector.endpoint,
  way: Egress = egress,
  timeoutMs = 500,
  signal = new AbortController().signal,
): Promise<Sent> {
  const to = { url, headers: {}, ca: null, timeoutMs };
  return otlpSender(ProtobufTraceSerializer, SOURCE, to, way)([SPAN, SPAN, SPAN], signal);
}

/** An `ExportTraceServiceResponse` that has rejected so many spans. */
function rejecting(count: number): Uint8Array {
  const partial = new BinaryWriter().tag(1, WireType.Varint).int64(count).finish();
  return new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(partial).finish();
}

const status =
  (code: number, headers: Record<string, string> = {}): CollectorAnswer =>
  (_request, response) =>
    void response.writeHead(code, headers).end('said');
const body =
  (bytes: Uint8Array | string): CollectorAnswer =>
  (_request, response) =>
    void response.writeHead(200).end(bytes);

/** Writes for ever, and says when it was left. */
function endless(chunk: string, everyMs: number): { answer: CollectorAnswer; left: Promise<void> } {
  let isLeft: () => void;
  const left = new Promise<void>((resolve) => (isLeft = resolve));
  const answer = (_request: unknown, response: ServerResponse): void => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(chunk), everyMs);
    response.on('close', () => {
      clearInterval(timer);
      isLeft();
    });
  };
  return { answer, left };
}

it('what is sent is what was recorded', async () => {
  await expect(send()).resolves.toEqual({ refused: 0 });
  expect(collector.faults).toEqual([]);
  expect(collector.spans[0]).toEqual({
    ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentId: '' },
    isParentRemote: false,
    ...{ name: 'span', kind: 1, begun: 1_700_000_000_000.25, ended: 1_700_000_000_001.5 },
    attributes: { text: 'é', whole: 3, yes: true, list: ['a', 'b'] },
    events: [{ name: 'e', attributes: { n: 1 } }],
    statusCode: 2,
    resource: { 'service.name': 'hub', 'service.version': '1', 'service.instance.id': 'i' },
  });
});

it.each<[string, CollectorAnswer, Partial<Sent>]>([
  ['rejects two spans', body(rejecting(2)), { refused: 2 }],
  ['rejects more than there are', body(rejecting(1000)), { refused: 3 }],
  ['rejects less than none', body(rejecting(-5)), { refused: 0 }],
  ['says something else', body('\x0a\xff\xff\xff\xff not this'), { refused: 0 }],
  ['does not want them', status(400), { refused: 3 }],
  ['wants another key', status(401), { refused: 3 }],
  ['sends the hub elsewhere', status(302, { location: 'http://169.254.169.254/' }), { refused: 3 }],
  ['is busy', status(503), { refused: 0, againAfterMs: 0 }],
  ['is busy for 5 s', status(429, { 'retry-after': '5' }), { refused: 0, againAfterMs: 5000 }],
  [
    'is busy for ever',
    status(503, { 'retry-after': '99999999' }),
    { refused: 0, againAfterMs: 30_000 },
  ],
  ['hangs up', (request) => void request.socket.destroy(), { refused: 0, againAfterMs: 0 }],
  ['never answers', () => undefined, { refused: 0, againAfterMs: 0 }],
])('a collector that %s', async (_what, answer, expected) => {
  collector.answer = answer;
  const sent = await send();
  expect(sent).toMatchObject(expected);
  // What it said is not repeated.
  expect(sent.trouble ?? '').not.toContain('said');
});

it.each([
  ['much', 'x'.repeat(64 * 1024), 1],
  ['slowly', 'x', 20],
])('a collector whose answer never ends, and comes %s, is left', async (_how, chunk, everyMs) => {
  const { answer, left } = endless(chunk, everyMs);
  collector.answer = answer;
  await expect(send()).resolves.toEqual({ refused: 0 });
  await left;
});

it('a collector that may not be called, and what to do', async () => {
  const closed = new Egress({ allow: [] });
  const { trouble, againAfterMs } = await send(collector.endpoint, closed);
  expect([trouble, againAfterMs]).toEqual([expect.stringContaining('may not be called'), 0]);
  await closed.close();
});

describe('a hub whose collector', () => {
  const answers: readonly (readonly [string, CollectorAnswer | undefined])[] = [
    ['is dead', undefined],
    ['never answers', () => undefined],
    ['answers without end', (_request, response) => endless('x', 5).answer(_request, response)],
  ];

  it.each(answers)('%s serves as ever, drops what is too much, and stops', async (_how, answer) => {
    const own = await OtlpCollector.start();
    const { endpoint } = own;
    if (answer === undefined) await own.close();
    else own.answer = answer;
    const agent = await ScriptedAgent.start({ name: 'Counter' });
    const traces = { endpoint, maxQueue: 256, timeoutMs: 60_000 };
    const hub = await startHub({ config: { telemetry: { traces } } });
    await hub.registerAgent(agent.url, { id: 'counter' });
    const answered = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        hub.send(`number ${index}`, { message: { metadata: { agentId: 'counter' } } }),
      ),
    );
    expect(answered).toHaveLength(150);
    await eventually(async () => {
      const { text } = await hub.admin('GET', '/metrics');
      const [, dropped] = /trace_spans_dropped_total\{reason="queue-full"\} (\d+)/.exec(text)!;
      if (Number(dropped) === 0) throw new Error('nothing was dropped');
    });
    // Within the time of the test, whatever `timeout` is.
    await hub.close();
    await agent.close();
    if (answer !== undefined) await own.close();
  });
});
