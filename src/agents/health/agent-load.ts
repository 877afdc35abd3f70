import type { QueueShare } from './domain/queue-share.js';

/** Who asks whether it may wait for an agent. */
export interface QueueAsker {
  readonly organization: string;
  /** The principal's. */
  readonly id: string;
}

/** The delegations that wait for one agent. */
export interface AgentQueue {
  readonly total: number;
  shareOf(asker: QueueAsker): QueueShare;
}

/**
 * What agents have to do, for this process and, as far as that is known, for others on the same database; reported
 * by the features that assign it: agents do not know tasks.
 */
export abstract class AgentLoad {
  /** One more delegation works at the agent for this process. */
  abstract begun(agentId: string): void;

  /** One less: it has ended, or waits for its client. */
  abstract ended(agentId: string): void;

  /** How many work at each agent for other processes now, where any do. */
  abstract elsewhere(counts: ReadonlyMap<string, number>): void;

  /** Who waits for it now; undefined without any. The object may change until the next word about the agent. */
  abstract waiting(agentId: string, queue: AgentQueue | undefined): void;

  /** So many more calls for it wait for a connection, or less. */
  abstract connecting(agentId: string, by: number): void;

  /**
   * Delegations that may work at the agent at once over one process; its own number, or the setting's.
   * Infinite where it gets no new work: what waits for it is to be taken up at once, to go elsewhere.
   */
  abstract maxConcurrent(agentId: string): number;
}
