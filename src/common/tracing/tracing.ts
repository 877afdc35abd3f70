import type { AttributeValue, SpanAttributes } from './span-attributes.js';

/** The hub serves, calls somebody, or does something by itself. */
export type SpanKind = 'server' | 'client' | 'internal';

/** A piece of work that is being recorded. What is called after its end does nothing. */
export interface Span {
  /** What whoever is called for it gets as its parent. */
  readonly traceparent: string;
  /** Gives it another name; names are few. */
  rename(name: string): void;
  set(name: string, value: AttributeValue | null | undefined): void;
  /** Something happened in it, now. The first 32 are kept. */
  event(name: string, attributes: SpanAttributes): void;
  /** It is over; `failure` says why it failed, in one word of few (`error.type`). */
  end(failure?: string): void;
}

/** A request to the hub and its place in a trace. */
export interface EnteredTrace {
  /** What everything that is done for the request has as its parent. */
  readonly traceparent: string;
  /** Of the request itself; undefined where its trace is not recorded. */
  readonly span: Span | undefined;
}

/** A span of which everything is known when it is over. */
export interface FinishedSpan {
  readonly traceparent: string;
  /** What its own id is made of: whoever gives the same text gets the same id. */
  readonly idOf: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly begunAt: Date;
  readonly endedAt: Date;
  readonly attributes: SpanAttributes;
  readonly failure?: string | undefined;
}

/**
 * Records what the hub does as spans of traces. Whether a trace is recorded is decided once, by {@link enter}, and goes with the
 * `traceparent`: everything else is a child of one. Nothing here waits or throws.
 */
export abstract class Tracing {
  /** False: no call does anything, and none has to be made. */
  abstract readonly isOn: boolean;

  /** A request comes, with this `traceparent` or without one. */
  abstract enter(incoming: string | undefined): EnteredTrace;

  /** Undefined where the trace of the parent is not recorded. */
  abstract begin(parent: string | null | undefined, name: string, kind: SpanKind): Span | undefined;

  /** Records a span that may have begun in another process. */
  abstract record(span: FinishedSpan): void;

  /**
   * The `traceparent` of the span that {@link record} will write for `idOf`, so that its children can be recorded before it; what is
   * given where the trace is not recorded.
   */
  abstract within(traceparent: string, idOf: string): string;

  /** From now on what is recorded is sent; until then it is kept. More than once does no harm. */
  abstract start(): void;

  /** Sends what is recorded, for a short time, and ends. */
  abstract close(): Promise<void>;
}

/** {@link Tracing} of a hub without traces. */
export class NoTracing extends Tracing {
  readonly isOn = false;

  enter(incoming: string | undefined): EnteredTrace {
    return { traceparent: incoming ?? '', span: undefined };
  }

  begin(): undefined {
    return undefined;
  }

  record(): void {
    // Nothing is kept.
  }

  within(traceparent: string): string {
    return traceparent;
  }

  start(): void {
    // Nothing is sent.
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
