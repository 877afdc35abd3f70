import type { SpanAttributes } from '../../common/tracing/span-attributes.js';
import type { SpanKind } from '../../common/tracing/tracing.js';
import type { TraceContext } from '../../common/tracing/trace-context.js';

/** A span that is over, as it waits to be sent. Times are milliseconds since 1970 with fractions. */
export interface RecordedSpan {
  readonly context: TraceContext;
  readonly parent: TraceContext | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly begun: number;
  readonly ended: number;
  readonly attributes: SpanAttributes;
  readonly events: readonly SpanEvent[];
  /** Events that were too many to be kept. */
  readonly droppedEvents: number;
  readonly failed: boolean;
}

export interface SpanEvent {
  readonly name: string;
  readonly at: number;
  readonly attributes: SpanAttributes;
}
