/** The trace id in a W3C `traceparent`. */
const TRACE_ID = /^[0-9a-f]{2}-(?<id>[0-9a-f]{32})-/;

/** Undefined where there is none, or what came is none. */
export function traceIdOf(traceparent: string | null): string | undefined {
  return TRACE_ID.exec(traceparent ?? '')?.groups?.['id'];
}
