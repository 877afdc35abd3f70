import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../auth/index.js';
import type { CallNote } from '../common/call-note.js';
import { invalidField } from '../common/hub-error.js';
import { readTraceparent, readTracestate } from '../common/tracing/trace-context.js';
import { isListable } from '../protocol/header-list.js';
import { HOPS_HEADER, readHops } from '../protocol/hops.js';
import { activeExtensions } from '../routing/index.js';
import type { CallContext } from '../auth/index.js';
import type { ProtocolVersion } from '../protocol/protocol-version.js';
import { MAX_NAMED, MAX_NAME_LENGTH } from '../protocol/request-limits.js';

/** The longest `Idempotency-Key`. */
const MAX_KEY_LENGTH = 255;
const SEQ = /^\d{1,15}$/;

/** What the HTTP bindings know of a call before its body is read. */
export interface CallSource {
  readonly headers: IncomingHttpHeaders;
  readonly principal: Principal;
  /** The agent of the sub-path `/a2a/agents/{id}`. */
  readonly agentId: string | undefined;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** See {@link CallContext.reserveAnswer}. */
  readonly reserveAnswer: NonNullable<CallContext['reserveAnswer']>;
  /** See {@link CallContext.releaseAnswer}. */
  readonly releaseAnswer: NonNullable<CallContext['releaseAnswer']>;
  /** See {@link CallContext.note}. */
  readonly note: CallNote;
}

/**
 * The call's context from its headers. Throws INVALID_PARAMS, naming the header, for extensions beyond the limits of those that a
 * message names, and an `Idempotency-Key`, a `Last-Event-ID` or hops that cannot be such; a bad `traceparent` is ignored, as W3C
 * Trace Context wants.
 */
export function callContextOf(
  { headers, principal, agentId, signal, reserveAnswer, releaseAnswer, note }: CallSource,
  version: ProtocolVersion,
): CallContext {
  const extensions = extensionsOf(headers);
  const incoming = traceparentOf(single(headers['traceparent']));
  if (incoming !== undefined) note.traceId ??= incoming.slice(3, 35);
  return {
    principal,
    version,
    agentId,
    extensions,
    activated: new Set(activeExtensions(extensions, [])),
    // Where the hub makes spans, what is done for the call belongs to that of the call.
    traceparent: note.trace?.traceparent ?? incoming,
    // It says more of the trace that came, and nothing without it.
    tracestate: incoming === undefined ? undefined : readTracestate(single(headers['tracestate'])),
    hops: readHops(single(headers[HOPS_HEADER.toLowerCase()]), undefined),
    idempotencyKey: idempotencyKeyOf(single(headers['idempotency-key'])),
    lastEventId: lastEventIdOf(single(headers['last-event-id'])),
    signal,
    reserveAnswer,
    releaseAnswer,
    note,
  };
}

/**
 * The header that tells which extensions are active, under its name in the version of the call; none
 * when none is. To be read when the answer, or the first item of the stream, is there.
 */
export function activatedHeaders({
  activated,
  version,
}: Pick<CallContext, 'activated' | 'version'>): Record<string, string> {
  const listable = [...activated].filter(isListable);
  if (listable.length === 0) return {};
  const name = version === '1.0' ? 'a2a-extensions' : 'x-a2a-extensions';
  return { [name]: listable.join(', ') };
}

/** One header's value; several of the same name are joined, as HTTP allows. */
export function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

/** Each once, of both names of the header. */
function extensionsOf(headers: IncomingHttpHeaders): string[] {
  const current = listed(headers['a2a-extensions']);
  const before = listed(headers['x-a2a-extensions']);
  const all = [...new Set([...current, ...before])];
  // The error names the header that the caller has sent.
  const field = current.length > 0 ? 'A2A-Extensions' : 'X-A2A-Extensions';
  if (all.length > MAX_NAMED) throw invalidField(field, `must name at most ${MAX_NAMED}`);
  if (all.some(({ length }) => length > MAX_NAME_LENGTH)) {
    throw invalidField(field, `must name none of more than ${MAX_NAME_LENGTH} characters`);
  }
  return all;
}

function listed(header: string | string[] | undefined): string[] {
  return (single(header) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function traceparentOf(header: string | undefined): string | undefined {
  return header !== undefined && readTraceparent(header) ? header : undefined;
}

function idempotencyKeyOf(header: string | undefined): string | undefined {
  if (!header) return undefined;
  if (header.length > MAX_KEY_LENGTH) {
    throw invalidField('Idempotency-Key', `must be at most ${MAX_KEY_LENGTH} characters`);
  }
  return header;
}

function lastEventIdOf(header: string | undefined): number | undefined {
  if (!header) return undefined;
  if (!SEQ.test(header)) {
    throw invalidField('Last-Event-ID', 'must be the id of an event of this stream');
  }
  return Number(header);
}
