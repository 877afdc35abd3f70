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

/** What agents have to do, over all processes. */
export interface WorkCounts {
  readonly waiting: readonly WaitingCount[];
  /**
   * By agent, how many a runner of another process has, or had when it ended, and that do not wait for their
   * client.
   */
  readonly elsewhere: ReadonlyMap<string, number>;
}

/** The delegations of agents, whosever tasks they belong to. */
export abstract class AgentDelegations {
  /** All that wait for a runner. */
  abstract waiting(): Promise<readonly WaitingDelegation[]>;

  /** How many of each principal wait for each agent, where any do. One indexed query. */
  abstract waitingByPrincipal(): Promise<readonly WaitingCount[]>;

  /**
   * The same, and what works at each agent for other processes than `owner`, both as of one moment: what a
   * runner takes up is in the one or in the other. One query.
   */
  abstract workOf(owner: string): Promise<WorkCounts>;

  /** Those of an agent that have begun or wait to, and have not ended; by id, after `after`. */
  abstract open(agentId: string, after: string, limit: number): Promise<DelegationRef[]>;
}
