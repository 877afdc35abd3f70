import type { HubRefusal } from './hub-refusal.js';
import { type AgentFailureKind, publicFailure } from './public-failure.js';

/**
 * What a call was not made for want of.
 * - `caller-token`: an access token of the caller; a fresh one of the same caller would do.
 * - `consent`: of the user in whose name the agent is called.
 * - `configuration`: what only another caller, or an operator, changes.
 */
export type Lack = 'caller-token' | 'consent' | 'configuration';

/**
 * What went wrong at an agent, in the only terms the runner decides by.
 * - `unreachable`: nothing was sent or accepted (DNS, connect, TLS, refused, egress): failover is safe.
 * - `rejected`: the agent answered with a protocol error: it did not accept the message.
 * - `interrupted`: the answer or stream broke off; the agent may be working.
 * - `invalid`: it answered something that is not A2A (InvalidAgentResponse).
 * - `not-found`: it does not know the task.
 *
 * `message` may hold what the agent or the network said (ids of the agent, addresses): it is for the
 * log only. Clients read {@link publicMessage}.
 */
export class AgentCallError extends Error {
  override readonly name = 'AgentCallError';
  /** In the hub's own words, to follow the agent's name: `could not be reached`. */
  readonly publicMessage: string;

  constructor(
    readonly kind: AgentFailureKind,
    message: string,
    readonly detail: {
      readonly code?: number;
      readonly httpStatus?: number;
      readonly hubRefusal?: HubRefusal;
      /** The limit of the hub that the answer passes, as a clause: `has more than 50000 values`. */
      readonly limit?: string;
      /** The hub itself failed before it asked the agent: nothing is said of its health. */
      readonly agentUnasked?: boolean;
      /** What clients read instead of the words for its kind: the hub's own, to follow the agent's name. */
      readonly words?: string;
      /** It was not asked for want of something that no waiting brings. */
      readonly lacks?: Lack;
      /** It was not asked, since what proves the hub to it could not be made or read. */
      readonly unproven?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.publicMessage = detail.words ?? publicFailure(kind, detail);
  }
}

/** A call was left: its signal has aborted. */
export function endedCall(cause?: unknown): AgentCallError {
  return new AgentCallError('interrupted', 'the hub ended the call', { cause });
}
