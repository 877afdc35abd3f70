import type { SpanAttributes } from '../../common/tracing/span-attributes.js';
import {
  readTraceparent,
  type TraceContext,
  writeTraceparent,
} from '../../common/tracing/trace-context.js';
import {
  type EnteredTrace,
  type FinishedSpan,
  type Span,
  type SpanKind,
  Tracing,
} from '../../common/tracing/tracing.js';
import { OpenSpan, shortText } from './open-span.js';
import type { RecordedSpan } from './recorded-span.js';
import type { SpanExport } from './span-export.js';
import { SpanIds, spanIdOf } from './span-ids.js';
import { ATTR } from './span-names.js';

/** Which traces are recorded. */
export interface SamplingRules {
  /** Of the traces that the hub decides on, from 0 to 1. */
  readonly sample: number;
  /** A caller that has decided is followed. */
  readonly trustParent: boolean;
}

const NO_EVENTS: RecordedSpan['events'] = [];
/** How far the steady clock may be from the machine's before it follows. */
const MAX_DRIFT_MS = 20;

/** {@link Tracing} that hands each span to an export when it is over. */
export class OtlpTracing extends Tracing {
  readonly isOn = true;
  private readonly ids = new SpanIds();
  private offset = 0;

  constructor(
    private readonly rules: SamplingRules,
    private readonly spans: Pick<SpanExport, 'add' | 'start' | 'close'>,
    private readonly wallMs: () => number,
    /** In [0, 1). */
    private readonly random: () => number,
  ) {
    super();
  }

  enter(incoming: string | undefined): EnteredTrace {
    const parent = incoming === undefined ? undefined : readTraceparent(incoming);
    const isSampled = this.isKept(parent);
    if (!isSampled && parent?.isSampled === false)
      return { traceparent: incoming!, span: undefined };
    const context = {
      traceId: parent?.traceId ?? this.ids.trace(),
      spanId: this.ids.span(),
      isSampled,
    };
    if (!isSampled) return { traceparent: writeTraceparent(context), span: undefined };
    const span = this.open(context, parent, 'request', 'server');
    return { traceparent: span.traceparent, span };
  }

  begin(parent: string | null | undefined, name: string, kind: SpanKind): Span | undefined {
    const context = sampledContext(parent);
    if (context === undefined) return undefined;
    const own = { traceId: context.traceId, spanId: this.ids.span(), isSampled: true };
    return this.open(own, context, shortText(name), kind);
  }

  record(span: FinishedSpan): void {
    const parent = sampledContext(span.traceparent);
    if (parent === undefined) return;
    const { failure, begunAt, endedAt, kind, name } = span;
    const begun = begunAt.getTime();
    this.spans.add({
      context: { traceId: parent.traceId, spanId: spanIdOf(span.idOf), isSampled: true },
      parent,
      name: shortText(name),
      kind,
      begun,
      ended: Math.max(begun, endedAt.getTime()),
      attributes: short({
        ...span.attributes,
        ...(failure !== undefined && { [ATTR.ERROR_TYPE]: failure }),
      }),
      events: NO_EVENTS,
      droppedEvents: 0,
      failed: failure !== undefined,
    });
  }

  within(traceparent: string, idOf: string): string {
    const context = sampledContext(traceparent);
    if (context === undefined) return traceparent;
    return writeTraceparent({ ...context, spanId: spanIdOf(idOf) });
  }

  start(): void {
    this.spans.start();
  }

  close(): Promise<void> {
    return this.spans.close();
  }

  private isKept(parent: TraceContext | undefined): boolean {
    if (parent !== undefined && this.rules.trustParent) return parent.isSampled;
    return this.random() < this.rules.sample;
  }

  private open(
    context: TraceContext,
    parent: TraceContext | undefined,
    name: string,
    kind: SpanKind,
  ): OpenSpan {
    return new OpenSpan(context, parent, name, kind, this.now, this.ended);
  }

  private readonly ended = (span: RecordedSpan): void => this.spans.add(span);

  /** The machine's time in fractions of a millisecond, which does not go back within a span unless that was set back. */
  private readonly now = (): number => {
    const steady = performance.now();
    const wall = this.wallMs();
    if (Math.abs(steady + this.offset - wall) > MAX_DRIFT_MS) this.offset = wall - steady;
    return steady + this.offset;
  };
}

function sampledContext(traceparent: string | null | undefined): TraceContext | undefined {
  if (!traceparent) return undefined;
  const context = readTraceparent(traceparent);
  return context?.isSampled === true ? context : undefined;
}

function short(attributes: SpanAttributes): SpanAttributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === 'string' ? shortText(value) : value,
    ]),
  );
}
