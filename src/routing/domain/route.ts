import type { RequirePolicy, Strategy } from '../../protocol/routing-extension.js';

/** Which rule decided, in the order they are tried (design.md section 6). */
export type RouteReason = 'agent' | 'skill' | 'tags' | 'affinity' | 'default';

/** One agent considered, and why it is in or out. */
export interface Candidate {
  readonly agentId: string;
  /** The skill that matched, when one did. */
  readonly skillId?: string;
  /** Why it is chosen or ordered where it is, or why it is left out; one sentence. */
  readonly why: string;
}

/** The choice of agents for one message; stored with the task, so it explains itself later. */
export interface Route {
  readonly reason: RouteReason;
  readonly strategy: Strategy;
  /** For `all`. */
  readonly require: RequirePolicy;
  /** For `all`: milliseconds until what is still running is canceled. */
  readonly deadlineMs?: number;
  /**
   * `one`: the first is asked, the next ones take over in this order while no agent has accepted.
   * `all`: each gets a delegation.
   */
  readonly chosen: readonly Candidate[];
  /** Agents that matched but were left out (disabled, over the maximum …). */
  readonly skipped: readonly Candidate[];
}
