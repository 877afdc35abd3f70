/** What the hub remembers of one context of one principal; kept 30 days after its last use. */
export interface HubContext {
  readonly id: string;
  readonly principalId: string;
  readonly organization: string;
  /** The agents that handled the last message of this context, in order. */
  readonly affinity: readonly string[];
  readonly lastUsedAt: Date;
}

/**
 * Contexts, their affinity, and the downstream context id per agent. A context is written in the
 * commit of each task that begins in it; the same id of another principal is another context.
 */
export abstract class ContextStore {
  /** undefined when this principal has no such context (another's context is as good as none). */
  abstract get(id: string, principalId: string): Promise<HubContext | undefined>;

  /**
   * The agent's own context id for this hub context: the one of the oldest delegation to this agent
   * in this context that has one.
   */
  abstract downstream(
    id: string,
    principalId: string,
    agentId: string,
  ): Promise<string | undefined>;

  /** Deletes up to `limit` contexts last used before `unusedSince`; how many. */
  abstract forget(unusedSince: Date, limit: number): Promise<number>;
}
