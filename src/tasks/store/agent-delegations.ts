/** One delegation and its task, by their ids. */
export interface DelegationRef {
  readonly id: string;
  readonly taskId: string;
}

/** The owner and the agent of a queued delegation. */
interface Waiting {
  readonly agentId: string;
  readonly organization: string;
  readonly principalId: string;
}

export interface WaitingDelegation extends Waiting {
  readonly id: string;
  /** Its turn in the queue; the least comes first. */
  readonly turnAt: number;
}

export interface WaitingCount extends Waiting {
  readonly count: number;
  /** The last turn that one of them has. */
  readonly lastTurnAt: number;
}

/** The delegations of agents, whosever tasks they belong to. */
export abstract class AgentDelegations {
  /** All that wait for a runner. */
  abstract waiting(): Promise<readonly WaitingDelegation[]>;

  /** How many of each principal wait for each agent, where any do. One indexed query. */
  abstract waitingByPrincipal(): Promise<readonly WaitingCount[]>;

  /** Those of an agent that have begun or wait to, and have not ended; by id, after `after`. */
  abstract open(agentId: string, after: string, limit: number): Promise<DelegationRef[]>;
}
