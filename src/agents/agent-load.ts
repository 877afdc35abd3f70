/**
 * What agents have to do in this process, told by those who give it to them: agents do not know tasks.
 */
export abstract class AgentLoad {
  /** One more delegation works at the agent. */
  abstract begun(agentId: string): void;

  /** One less: it has ended, or waits for its client. */
  abstract ended(agentId: string): void;

  /** So many delegations wait for it now. */
  abstract waiting(agentId: string, delegations: number): void;

  /**
   * Delegations that may work at the agent at once over one process; its own number, or the setting's.
   * Infinite where it gets no new work: what waits for it is to be taken up at once, to go elsewhere.
   */
  abstract maxConcurrent(agentId: string): number;
}
