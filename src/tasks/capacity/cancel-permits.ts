import type { CancelQuota } from '../store/claimed-task.js';

/** Cancels sent at once, by one process. */
const MAX = 128;
/** An agent that is gone makes every call take its whole time. */
const MAX_PER_AGENT = 16;

/**
 * Limits the cancels that are being sent to agents for ended delegations: apart from the permits of runs, so
 * that an agent that is gone delays nothing but its own cancels.
 */
export class CancelPermits implements CancelQuota {
  private readonly byAgent = new Map<string, number>();
  private total = 0;
  /** Called when there is capacity again where there was none. */
  onCapacity: () => void = () => undefined;

  constructor(
    private readonly max = MAX,
    readonly maxPerAgent = MAX_PER_AGENT,
  ) {}

  /** Negative when more are in use than there are. */
  get free(): number {
    return this.max - this.total;
  }

  get inUse(): ReadonlyMap<string, number> {
    return this.byAgent;
  }

  hasCapacity(agentId: string): boolean {
    return this.free > 0 && this.of(agentId) < this.maxPerAgent;
  }

  /** One more, whether or not there is capacity. */
  acquire(agentId: string): void {
    this.total += 1;
    this.byAgent.set(agentId, this.of(agentId) + 1);
  }

  release(agentId: string): void {
    const hadCapacity = this.hasCapacity(agentId);
    this.total -= 1;
    const left = this.of(agentId) - 1;
    if (left > 0) this.byAgent.set(agentId, left);
    else this.byAgent.delete(agentId);
    if (!hadCapacity && this.hasCapacity(agentId)) this.onCapacity();
  }

  private of(agentId: string): number {
    return this.byAgent.get(agentId) ?? 0;
  }
}
