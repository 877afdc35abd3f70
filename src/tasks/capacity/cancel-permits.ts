import type { FarewellShares } from '../task-store.js';

/** Agents told of ends at once, by one process. */
const MAX = 128;
/** One that is gone lets every call take its whole time. */
const MAX_PER_AGENT = 16;

/**
 * Counts the agents that are being told that their delegation has ended: apart from the places of what
 * works, so that an agent that is gone keeps nobody waiting but its own farewells.
 */
export class Farewells implements FarewellShares {
  private readonly byAgent = new Map<string, number>();
  private total = 0;
  /** Told when there is room again where there was none. */
  onRoom: () => void = () => undefined;

  constructor(
    private readonly max = MAX,
    readonly maxPerAgent = MAX_PER_AGENT,
  ) {}

  /** Negative when more were taken than there are. */
  get free(): number {
    return this.max - this.total;
  }

  get taken(): ReadonlyMap<string, number> {
    return this.byAgent;
  }

  hasRoom(agentId: string): boolean {
    return this.free > 0 && this.of(agentId) < this.maxPerAgent;
  }

  /** One more, whether or not there is room. */
  enter(agentId: string): void {
    this.total += 1;
    this.byAgent.set(agentId, this.of(agentId) + 1);
  }

  leave(agentId: string): void {
    const hadRoom = this.hasRoom(agentId);
    this.total -= 1;
    const left = this.of(agentId) - 1;
    if (left > 0) this.byAgent.set(agentId, left);
    else this.byAgent.delete(agentId);
    if (!hadRoom && this.hasRoom(agentId)) this.onRoom();
  }

  private of(agentId: string): number {
    return this.byAgent.get(agentId) ?? 0;
  }
}
