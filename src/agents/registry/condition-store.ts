/** How one process has seen an agent, as others read it. */
export interface StoredCondition {
  /** The process; its id among the workers. */
  readonly process: string;
  readonly agentId: string;
  /** The agent's `updatedAt`, epoch milliseconds: of one that has changed since it says nothing. */
  readonly revision: number;
  /** Counted by the process: the newest of its conditions has the highest. */
  readonly version: number;
  readonly health: string;
  readonly breaker: string;
  readonly verdict: string;
  /** Since when it has this health, by the clock of the process; null: not known. */
  readonly since: number | null;
  /** What had gone wrong last when the rest became so. */
  readonly lastError: string | null;
}

/** A process that calls agents, as it was found. */
export interface SeenProcess {
  readonly id: string;
  /** A number that is another one after every few seconds while the process is there. */
  readonly sign: number;
  /** The highest version of its conditions; 0 without any. */
  readonly version: number;
}

/** What processes on one database let each other know of agents. */
export abstract class ConditionStore {
  /** Replaces what the process of these had said of their agents, and removes what it said of `gone`. */
  abstract put(
    process: string,
    conditions: readonly StoredCondition[],
    gone: readonly string[],
  ): Promise<void>;

  /** Removes what this process said. */
  abstract removeOf(process: string): Promise<void>;

  /** Removes what was said by processes that are not there any more; resolves to how much `process` has said. */
  abstract cleanUp(process: string): Promise<number>;

  /** The other processes. */
  abstract others(process: string): Promise<readonly SeenProcess[]>;

  /** What a process has said since this version, in the order of versions, `limit` at most. */
  abstract since(
    process: string,
    version: number,
    limit: number,
  ): Promise<readonly StoredCondition[]>;
}
