import type { CallNote } from '../common/call-note.js';
import type { Operator, Principal } from '../auth/index.js';
import type { Message, SendMessageConfiguration } from '../protocol/a2a.js';
import type { RoutingDirective } from '../protocol/routing-extension.js';

/** The protocol dialect a client speaks; it decides shapes and defaults at the edge, nothing else. */
export type ProtocolVersion = '1.0' | '0.3';

/** What every call carries, whatever the operation. Built once by the binding. */
export interface CallContext {
  readonly principal: Principal;
  readonly version: ProtocolVersion;
  /** The agent the address names: sub-path `/a2a/agents/{id}` or `tenant`. */
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
  readonly traceparent: string | undefined;
  /** Ids of the hubs this request has passed (`A2A-Hub-Hops` and metadata). */
  readonly hops: readonly string[];
  readonly idempotencyKey: string | undefined;
  /** `Last-Event-ID`, when the client resumes a stream. */
  readonly lastEventId: number | undefined;
  /** Aborted when the client is gone: its stream ends then, its task does not. */
  readonly signal?: AbortSignal;
  /**
   * Waits for room for an answer of so many bytes, called before what is large is made; nothing for small
   * ones. Rejects with RATE_LIMITED or UNAVAILABLE when there is none after a while.
   */
  readonly reserveAnswer?: (bytes: number) => Promise<void>;
  /** What is found out about the call, for the log; copies of a context share the one note. */
  readonly note?: CallNote;
}

/** One message to be routed: the only input of routing. */
export interface HubRequest extends CallContext {
  readonly message: Message;
  readonly configuration: SendMessageConfiguration | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** The routing extension and the plain keys, parsed and validated. */
  readonly directive: RoutingDirective;
  /** True: answer as soon as the task is stored. Decided on the raw body for 0.x clients. */
  readonly returnImmediately: boolean;
  /** With `returnImmediately`: not before the agent has taken the task up, if it does so soon. */
  readonly awaitsAgent?: boolean;
  /** An operator sends the message of this task again, in the place of its client. */
  readonly retry?: Retry;
}

/** An operator has had the first message of this ended task sent again. */
export interface Retry {
  readonly taskId: string;
  readonly by: Operator;
}
