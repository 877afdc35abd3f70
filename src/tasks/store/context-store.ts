import type { UsageOwner } from './usage.js';

/**
 * What earlier tasks of a context say about its next one: which agents worked on it, and under which context
 * ids of their own. The same id of another principal, or in another organization, is another context.
 */
export abstract class ContextStore {
  /**
   * The agents of the newest task of this context that began at `since` or later: those that it was sent to
   * first, or that took over from them, in order. Empty when the owner has no such task.
   */
  abstract affinity(id: string, owner: UsageOwner, since: Date): Promise<readonly string[]>;

  /**
   * The agent's own context id for this hub context: of the oldest task of this context in which a delegation to
   * this agent has one. `registrations`: when it was registered, as others may have had its id.
   */
  abstract downstream(
    id: string,
    owner: UsageOwner,
    agentId: string,
    registrations: readonly Date[],
  ): Promise<string | undefined>;
}
