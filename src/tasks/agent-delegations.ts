/** One delegation and its task, by their ids. */
export interface DelegationRef {
  readonly id: string;
  readonly taskId: string;
}

/** The delegations of agents, whosever tasks they belong to. */
export abstract class AgentDelegations {
  /** All that wait for a runner. */
  abstract waiting(): Promise<readonly { readonly id: string; readonly agentId: string }[]>;

  /** How many wait for each agent; agents nobody waits for are not in it. One indexed query. */
  abstract waitingByAgent(): Promise<ReadonlyMap<string, number>>;

  /** Those of an agent that have begun or wait to, and have not ended; by id, after `after`. */
  abstract open(agentId: string, after: string, limit: number): Promise<DelegationRef[]>;
}
