import type { Tx, Work } from '../database/sql.js';

/** What the hub remembers of one context of one principal; kept 30 days after its last use. */
export interface HubContext {
  readonly id: string;
  readonly principalId: string;
  readonly organization: string;
  /** The agents that handled the last message of this context, in order. */
  readonly affinity: readonly string[];
  readonly lastUsedAt: Date;
}

/** Contexts, their affinity, and the downstream context id per agent. */
export abstract class ContextStore {
  /** undefined when this principal has no such context (another's context is as good as none). */
  abstract get(id: string, principalId: string): Promise<HubContext | undefined>;

  /** Creates or touches the context and sets its affinity. Same id, other principal: two contexts. */
  abstract touch(context: HubContext): Promise<void>;

  /** The statements of {@link touch}, for a commit that does more (the one that creates a task). */
  abstract touching(context: HubContext): (tx: Tx) => Work<void>;

  /**
   * The agent's own context id for this hub context: the learned one, else the one of the oldest
   * delegation to this agent in this context that has one (so the hot path need not write it twice).
   */
  abstract downstream(
    id: string,
    principalId: string,
    agentId: string,
  ): Promise<string | undefined>;

  /** Remembers it; the first one learned stays. */
  abstract learn(
    id: string,
    principalId: string,
    agentId: string,
    downstreamContextId: string,
  ): Promise<void>;

  /** Deletes up to `limit` contexts last used before `unusedSince`, with what was learned; how many. */
  abstract forget(unusedSince: Date, limit: number): Promise<number>;
}
