import type { AgentLoad } from '../../agents/index.js';
import type { FarewellShares, Shares } from '../task-store.js';
import type { Delegation } from '../task.js';

/** Whose place it is. */
export type PlaceFor = Pick<Delegation, 'agentId' | 'organization'>;

/** How many delegations run at once: in all, of each agent and of each organization. */
export class Places implements Shares {
  private readonly byAgent = new Map<string, number>();
  private readonly byOrganization = new Map<string, number>();
  private total = 0;

  constructor(
    private readonly max: number,
    private readonly load: Pick<AgentLoad, 'begun' | 'ended' | 'maxConcurrent'>,
    readonly farewells: FarewellShares,
  ) {}

  /** Free places; negative when more were taken than there are. */
  get free(): number {
    return this.max - this.total;
  }

  /** The agents that have places, and how many. */
  get taken(): ReadonlyMap<string, number> {
    return this.byAgent;
  }

  /** The organizations that have places, and how many. */
  get organizations(): ReadonlyMap<string, number> {
    return this.byOrganization;
  }

  maxOf(agentId: string): number {
    return this.load.maxConcurrent(agentId);
  }

  isFull(agentId: string): boolean {
    return (this.byAgent.get(agentId) ?? 0) >= this.maxOf(agentId);
  }

  take({ agentId, organization }: PlaceFor): void {
    this.total += 1;
    add(this.byAgent, agentId, 1);
    add(this.byOrganization, organization, 1);
    this.load.begun(agentId);
  }

  give({ agentId, organization }: PlaceFor): void {
    this.total -= 1;
    add(this.byAgent, agentId, -1);
    add(this.byOrganization, organization, -1);
    this.load.ended(agentId);
  }
}

/** How a delegation stands, as far as its place goes. */
export interface PlaceNeed {
  /** It waits for its client. */
  readonly waits: boolean;
  readonly hasEnded: boolean;
}

/**
 * The place of one run, from when it first works until it is done. While it waits for its client it has
 * none; one that ends without a place gets none for telling its agent.
 */
export class Place {
  private isTaken = false;
  private isDone = false;

  constructor(
    private readonly places: Places,
    private readonly whose: PlaceFor,
    /** Around giving it back: whether somebody may be waiting for it, and then that it is free. */
    private readonly hooks: { readonly isAwaited: () => boolean; readonly freed: () => void },
  ) {}

  adapt({ waits, hasEnded }: PlaceNeed): void {
    if (this.isDone) return;
    if (waits) this.give();
    else if (!hasEnded) this.take();
  }

  done(): void {
    this.isDone = true;
    this.give();
  }

  private take(): void {
    if (this.isTaken) return;
    this.isTaken = true;
    this.places.take(this.whose);
  }

  private give(): void {
    if (!this.isTaken) return;
    this.isTaken = false;
    const isAwaited = this.hooks.isAwaited();
    this.places.give(this.whose);
    if (isAwaited) this.hooks.freed();
  }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
