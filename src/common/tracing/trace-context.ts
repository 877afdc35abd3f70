/** One span, as a `traceparent` names it (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whoever began the trace keeps it. */
  readonly isSampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\x21-\x7e]*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
const INVALID_VERSION = 'ff';
const SAMPLED = 1;

/** The longest `tracestate` that is passed on: what W3C asks for at least. */
const MAX_TRACESTATE = 512;
const MAX_MEMBERS = 32;
const MEMBER =
  /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** What a `traceparent` says; undefined for one that W3C wants ignored. */
export function readTraceparent(text: string): TraceContext | undefined {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined) return undefined;
  if (version === INVALID_VERSION || traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, isSampled: (parseInt(flags ?? '', 16) & SAMPLED) === SAMPLED };
}

/** The id of the trace in a `traceparent`; undefined where there is none, or what came is none. */
export function traceIdOf(traceparent: string | null): string | undefined {
  return readTraceparent(traceparent ?? '')?.traceId;
}

export function writeTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/**
 * A `tracestate` as it may be passed on: whole members, from the first one, in 512 characters. Undefined when there is none or
 * it cannot be read, as W3C wants.
 */
export function readTracestate(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const members = header
    .split(',', MAX_MEMBERS + 1)
    .map((member) => member.trim())
    .filter((member) => member !== '');
  if (members.length > MAX_MEMBERS || !members.every((member) => MEMBER.test(member))) {
    return undefined;
  }
  let kept = '';
  for (const member of members) {
    const next = kept === '' ? member : `${kept},${member}`;
    if (next.length > MAX_TRACESTATE) break;
    kept = next;
  }
  return kept === '' ? undefined : kept;
}
