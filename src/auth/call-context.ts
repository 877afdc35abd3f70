import type { CallNote } from '../common/call-note.js';
import type { ProtocolVersion } from '../protocol/protocol-version.js';
import type { Principal } from './principal.js';

/** What every call carries, whatever the operation. Built once by the binding. */
export interface CallContext {
  readonly principal: Principal;
  readonly version: ProtocolVersion;
  /** The agent that the request URL names: sub-path `/a2a/agents/{id}` or `tenant`. */
  readonly agentId: string | undefined;
  /** Extension URIs asked for (`A2A-Extensions`). */
  readonly extensions: readonly string[];
  /**
   * The extensions that are active for this call (A2A §4.6.2): the hub's own if it was asked for, and
   * what the operation adds before its answer, or the first item of its stream, is there. A binding then
   * writes them as `A2A-Extensions` (1.0) or `X-A2A-Extensions` (0.x), a header or gRPC metadata, and
   * nothing when there are none. Copies of a context share the one set.
   */
  readonly activated: Set<string>;
  /** What is done for the call has this as its parent. */
  readonly traceparent: string | undefined;
  /** What systems on the way have added to that trace, as W3C lets it be passed on. */
  readonly tracestate?: string | undefined;
  /** Ids of the hubs this request has passed (`A2A-Hub-Hops` and metadata). */
  readonly hops: readonly string[];
  readonly idempotencyKey: string | undefined;
  /** `Last-Event-ID`, when the client resumes a stream. */
  readonly lastEventId: number | undefined;
  /** Aborted when the client has disconnected: its stream ends then, its task does not. */
  readonly signal?: AbortSignal;
  /**
   * Reserves memory for an answer of so many bytes; to be called before a large answer is built, and a no-op for
   * small ones. Rejects with RATE_LIMITED or UNAVAILABLE when there is none after a while.
   */
  readonly reserveAnswer?: (bytes: number) => Promise<void>;
  /** Of a stream: what was reserved last has left or is not shown; what is large of the rest is reserved anew. */
  readonly releaseAnswer?: () => void;
  /** What is known about the call, for the log; copies of a context share the one note. */
  readonly note?: CallNote;
}
