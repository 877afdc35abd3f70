import type { AttributeValue, SpanAttributes } from '../../common/tracing/span-attributes.js';
import { type TraceContext, writeTraceparent } from '../../common/tracing/trace-context.js';
import type { Span, SpanKind } from '../../common/tracing/tracing.js';
import type { RecordedSpan, SpanEvent } from './recorded-span.js';
import { ATTR } from './span-names.js';

const MAX_EVENTS = 32;
/** Ids and names that others have chosen may be long. */
const MAX_TEXT = 256;

/** A span under way; it is given away when it ends. */
export class OpenSpan implements Span, RecordedSpan {
  readonly attributes: Record<string, AttributeValue> = {};
  readonly events: SpanEvent[] = [];
  droppedEvents = 0;
  failed = false;
  readonly begun: number;
  ended = 0;

  constructor(
    readonly context: TraceContext,
    readonly parent: TraceContext | undefined,
    public name: string,
    readonly kind: SpanKind,
    private readonly now: () => number,
    private readonly onEnd: (span: RecordedSpan) => void,
  ) {
    this.begun = now();
  }

  get traceparent(): string {
    return writeTraceparent(this.context);
  }

  rename(name: string): void {
    if (this.ended === 0) this.name = shortText(name);
  }

  set(name: string, value: AttributeValue | null | undefined): void {
    if (value === null || value === undefined || this.ended !== 0) return;
    this.attributes[name] = typeof value === 'string' ? shortText(value) : value;
  }

  event(name: string, attributes: SpanAttributes): void {
    if (this.ended !== 0) return;
    if (this.events.length >= MAX_EVENTS) this.droppedEvents += 1;
    else this.events.push({ name, at: this.now(), attributes });
  }

  end(failure?: string): void {
    if (this.ended !== 0) return;
    if (failure !== undefined) {
      this.set(ATTR.ERROR_TYPE, failure);
      this.failed = true;
    }
    this.ended = this.now();
    this.onEnd(this);
  }
}

/** The beginning of a text, never half of a surrogate pair. */
export function shortText(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
