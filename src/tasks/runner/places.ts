import type { AgentLoad } from '../../agents/index.js';
import type { AgentShares } from '../task-store.js';

/** How many delegations run at once: in all, and of each agent. */
export class Places implements AgentShares {
  private readonly byAgent = new Map<string, number>();
  private total = 0;

  constructor(
    private readonly max: number,
    private readonly load: Pick<AgentLoad, 'begun' | 'ended' | 'maxConcurrent'>,
  ) {}

  /** Free places; negative when more were taken than there are. */
  get free(): number {
    return this.max - this.total;
  }

  /** The agents that have places, and how many. */
  get taken(): ReadonlyMap<string, number> {
    return this.byAgent;
  }

  maxOf(agentId: string): number {
    return this.load.maxConcurrent(agentId);
  }

  isFull(agentId: string): boolean {
    return this.of(agentId) >= this.maxOf(agentId);
  }

  take(agentId: string): void {
    this.total += 1;
    this.byAgent.set(agentId, this.of(agentId) + 1);
    this.load.begun(agentId);
  }

  give(agentId: string): void {
    this.total -= 1;
    const left = this.of(agentId) - 1;
    if (left > 0) this.byAgent.set(agentId, left);
    else this.byAgent.delete(agentId);
    this.load.ended(agentId);
  }

  private of(agentId: string): number {
    return this.byAgent.get(agentId) ?? 0;
  }
}
