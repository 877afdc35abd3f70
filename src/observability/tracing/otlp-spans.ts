import type { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { SpanAttributes } from '../../common/tracing/span-attributes.js';
import type { SpanKind } from '../../common/tracing/tracing.js';
import type { TraceContext } from '../../common/tracing/trace-context.js';
import type { RecordedSpan } from './recorded-span.js';

/** A span as OpenTelemetry's serializer reads it. */
export type OtelSpan = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number];

/** What all spans of this process come from. */
export interface SpanSource {
  readonly serviceName: string;
  readonly version: string;
  /** Of this process. */
  readonly instanceId: string;
}

/** The numbers of `SpanKind` and `SpanStatusCode` in OpenTelemetry's API. */
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 0, server: 1, client: 2 };
const UNSET = { code: 0 };
const FAILED = { code: 2 };
const NO_LINKS: OtelSpan['links'] = [];

/** Gives the spans of one process their form. */
export function otelSpansOf({ serviceName, version, instanceId }: SpanSource) {
  const attributes = {
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': instanceId,
  };
  // What the serializer reads of it: the attributes.
  const resource = { attributes } as unknown as OtelSpan['resource'];
  const scope = { name: 'a2a-hub', version };
  return (span: RecordedSpan): OtelSpan => {
    const context = contextOf(span.context);
    return {
      name: span.name,
      kind: KINDS[span.kind],
      spanContext: () => context,
      // What is served for others begins there; everything else, also after a restart, within the hub.
      ...(span.parent && {
        parentSpanContext: { ...contextOf(span.parent), isRemote: span.kind === 'server' },
      }),
      startTime: timeOf(span.begun),
      endTime: timeOf(span.ended),
      duration: timeOf(span.ended - span.begun),
      ended: true,
      status: span.failed ? FAILED : UNSET,
      attributes: attributesOf(span.attributes),
      links: NO_LINKS,
      events: span.events.map(({ name, at, attributes: facts }) => ({
        name,
        time: timeOf(at),
        attributes: attributesOf(facts),
      })),
      droppedAttributesCount: 0,
      droppedEventsCount: span.droppedEvents,
      droppedLinksCount: 0,
      resource,
      instrumentationScope: scope,
    };
  };
}

function contextOf({ traceId, spanId }: TraceContext): ReturnType<OtelSpan['spanContext']> {
  return { traceId, spanId, traceFlags: 1 };
}

/** Seconds and nanoseconds. */
function timeOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.floor((ms - seconds * 1000) * 1_000_000)];
}

/** The API's lists may be changed, ours may not. */
function attributesOf(attributes: SpanAttributes): OtelSpan['attributes'] {
  return attributes as OtelSpan['attributes'];
}
