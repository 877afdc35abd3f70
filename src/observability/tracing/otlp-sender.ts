import type { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { Deadline } from '../../common/deadline.js';
import { isDenial } from '../../common/egress/connect-error.js';
import type { Egress, EgressResponse } from '../../common/egress/egress.js';
import { readBytes } from '../../common/egress/read-body.js';
import { HubError } from '../../common/hub-error.js';
import { type SpanSource, otelSpansOf } from './otlp-spans.js';
import type { SendSpans, Sent } from './span-export.js';

/** Where spans are sent. */
export interface Collector {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Trusted for it besides those that Node trusts, as PEM. */
  readonly ca: string | null;
  /** For one request in all. */
  readonly timeoutMs: number;
}

const MAX_ANSWER = 64 * 1024;
/** What OTLP wants sent again. */
const AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const MAX_WAIT_MS = 30_000;

/** Sends spans by OTLP over HTTP, as Protocol Buffers. */
export function otlpSender(
  serializer: typeof ProtobufTraceSerializer,
  source: SpanSource,
  to: Collector,
  egress: Pick<Egress, 'request'>,
): SendSpans {
  const formOf = otelSpansOf(source);
  const headers = {
    ...to.headers,
    'content-type': 'application/x-protobuf',
    'user-agent': `a2a-hub/${source.version}`,
  };
  const { url, timeoutMs, ca } = to;
  return async (spans, closing) => {
    const limit = new Deadline(closing, timeoutMs);
    const { signal } = limit;
    try {
      const bytes = serializer.serializeRequest(spans.map(formOf)) ?? new Uint8Array();
      const answer = await egress.request(url, {
        ...({ method: 'POST' } as const),
        ...{ headers, body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), signal },
        ...{ headersTimeoutMs: timeoutMs, connectTimeoutMs: timeoutMs },
        ...(ca !== null && { ca }),
      });
      const said = await readBytes(answer, MAX_ANSWER).catch(() => undefined);
      return outcomeOf(answer, said, spans.length, serializer);
    } catch (error) {
      return unsent(error, signal.aborted);
    } finally {
      limit.end();
    }
  };
}

function outcomeOf(
  { statusCode, headers }: EgressResponse,
  said: Uint8Array | undefined,
  count: number,
  serializer: typeof ProtobufTraceSerializer,
): Sent {
  if (statusCode >= 200 && statusCode < 300) {
    const rejected = rejectedOf(said, serializer);
    if (rejected <= 0) return { refused: 0 };
    return { refused: Math.min(rejected, count), trouble: 'the collector rejected some spans' };
  }
  const trouble = `the collector answered HTTP ${statusCode}`;
  if (!AGAIN.has(statusCode)) return { refused: count, trouble };
  const seconds = Number(headers['retry-after']);
  const wanted = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
  return { refused: 0, againAfterMs: Math.min(wanted, MAX_WAIT_MS), trouble };
}

/** What a collector says may be anything. */
function rejectedOf(
  said: Uint8Array | undefined,
  serializer: typeof ProtobufTraceSerializer,
): number {
  if (said === undefined || said.length === 0) return 0;
  try {
    const rejected = Number(
      serializer.deserializeResponse(said).partialSuccess?.rejectedSpans ?? 0,
    );
    return Number.isSafeInteger(rejected) ? rejected : 0;
  } catch {
    return 0;
  }
}

function unsent(error: unknown, isLate: boolean): Sent {
  const again = { refused: 0, againAfterMs: 0 };
  if (isDenial(error) && error instanceof HubError) return { ...again, trouble: error.message };
  if (isLate) return { ...again, trouble: 'the collector gave no answer in time' };
  return { ...again, trouble: 'the collector could not be reached' };
}
