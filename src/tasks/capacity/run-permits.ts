import type { AgentLoad } from '../../agents/index.js';
import { keptOf, roomIn } from '../domain/fair-share.js';
import type { FarewellShares, Shares } from '../task-store.js';
import type { Delegation } from '../task.js';

/** Whose place it is. */
export type PlaceFor = Pick<Delegation, 'agentId' | 'organization'>;

/**
 * Delegations whose agents are only asked now and then hold no connection, but some memory: so many of
 * them count as one.
 */
const POLLED_FOR_ONE = 8;
/** Of so many organizations at agents is known when they last had a place. */
const MAX_KNOWN = 10_000;

/**
 * How many delegations run at once: in all, of each agent and of each organization. One whose agent is
 * only asked now and then works at the agent, but has nearly no place of the process.
 */
export class Places implements Shares {
  /** More than one organization may come. */
  several = false;
  private readonly byAgent = new Map<string, AgentPlaces>();
  private readonly byOrganization = new Map<string, number>();
  /** By agent and organization, those that had a place longest ago first. */
  private readonly lastHad = new Map<string, number>();
  private had = 0;
  private working = 0;
  private polled = 0;

  constructor(
    private readonly max: number,
    private readonly load: Pick<AgentLoad, 'begun' | 'ended' | 'maxConcurrent'>,
    readonly farewells: FarewellShares,
  ) {}

  /** Free places; negative when more were taken than there are. */
  get free(): number {
    return this.max - this.working - Math.floor(this.polled / POLLED_FOR_ONE);
  }

  get kept(): number {
    return keptOf(this.max, this.several);
  }

  keptAt(agentId: string): number {
    return keptOf(this.maxOf(agentId), this.several);
  }

  /** The agents that have places, and how many. */
  get taken(): ReadonlyMap<string, number> {
    return new Map([...this.byAgent].map(([id, { total }]) => [id, total]));
  }

  /** The organizations that have places of the process, and how many. */
  get organizations(): ReadonlyMap<string, number> {
    return this.byOrganization;
  }

  heldAt(agentId: string, organization: string): number {
    return this.byAgent.get(agentId)?.byOrganization.get(organization) ?? 0;
  }

  lastHadAt(agentId: string, organization: string): number {
    return this.lastHad.get(keyOf(agentId, organization)) ?? 0;
  }

  maxOf(agentId: string): number {
    return this.load.maxConcurrent(agentId);
  }

  /** Whether one more of this may run now. */
  hasRoom({ agentId, organization }: PlaceFor): boolean {
    const held = this.byOrganization.get(organization) ?? 0;
    if (roomIn({ left: this.free, kept: this.kept, held }) <= 0) return false;
    const share = {
      left: this.leftAt(agentId),
      kept: this.keptAt(agentId),
      held: this.heldAt(agentId, organization),
    };
    return roomIn(share) > 0;
  }

  /** Somebody may be waiting for a place in all, or at the agent, although others are free. */
  isTight(agentId: string): boolean {
    return this.free <= this.kept || this.leftAt(agentId) <= this.keptAt(agentId);
  }

  take({ agentId, organization }: PlaceFor): void {
    const at = this.byAgent.get(agentId) ?? { total: 0, byOrganization: new Map() };
    this.byAgent.set(agentId, at);
    at.total += 1;
    add(at.byOrganization, organization, 1);
    this.working += 1;
    add(this.byOrganization, organization, 1);
    this.hasIt(agentId, organization);
    this.load.begun(agentId);
  }

  /** `polled`: its agent was only asked now and then in the end. */
  give({ agentId, organization }: PlaceFor, polled = false): void {
    const at = this.byAgent.get(agentId);
    if (at) {
      at.total -= 1;
      add(at.byOrganization, organization, -1);
      if (at.total <= 0) this.byAgent.delete(agentId);
    }
    if (polled) this.polled -= 1;
    else this.leave(organization);
    this.hasIt(agentId, organization);
    this.load.ended(agentId);
  }

  /** Its agent is only asked now and then from now on; or (`false`) no longer so. */
  poll({ organization }: PlaceFor, polls: boolean): void {
    this.polled += polls ? 1 : -1;
    if (polls) return this.leave(organization);
    this.working += 1;
    add(this.byOrganization, organization, 1);
  }

  private hasIt(agentId: string, organization: string): void {
    const key = keyOf(agentId, organization);
    this.lastHad.delete(key);
    this.lastHad.set(key, ++this.had);
    if (this.lastHad.size <= MAX_KNOWN) return;
    for (const [oldest] of this.lastHad) return void this.lastHad.delete(oldest);
  }

  private leave(organization: string): void {
    this.working -= 1;
    add(this.byOrganization, organization, -1);
  }

  private leftAt(agentId: string): number {
    return this.maxOf(agentId) - (this.byAgent.get(agentId)?.total ?? 0);
  }
}

interface AgentPlaces {
  total: number;
  readonly byOrganization: Map<string, number>;
}

/** How a delegation stands, as far as its place goes. */
export interface PlaceNeed {
  /** It waits for its client. */
  readonly waits: boolean;
  /** Its agent is only asked now and then. */
  readonly polls: boolean;
  readonly hasEnded: boolean;
}

/**
 * The place of one run, from when it first works until it is done. While it waits for its client it has
 * none, while its agent is only asked now and then a small one; one that ends without a place gets none
 * for telling its agent.
 */
export class Place {
  private isPolled = false;
  private isDone = false;

  constructor(
    private readonly places: Places,
    private readonly whose: PlaceFor,
    /** Around giving it back: whether somebody may be waiting for it, and then that it is free. */
    private readonly hooks: { readonly isAwaited: () => boolean; readonly freed: () => void },
    /** It has been taken for this run already. */
    private isTaken = false,
  ) {}

  adapt({ waits, polls, hasEnded }: PlaceNeed): void {
    if (this.isDone) return;
    if (waits) return this.give();
    if (!hasEnded) this.take();
    this.poll(polls);
  }

  done(): void {
    this.isDone = true;
    this.give();
  }

  private take(): void {
    if (this.isTaken) return;
    this.isTaken = true;
    this.isPolled = false;
    this.places.take(this.whose);
  }

  private poll(polls: boolean): void {
    if (!this.isTaken || this.isPolled === polls) return;
    this.isPolled = polls;
    if (polls) this.freeing(() => this.places.poll(this.whose, true));
    else this.places.poll(this.whose, false);
  }

  private give(): void {
    if (!this.isTaken) return;
    this.isTaken = false;
    this.freeing(() => this.places.give(this.whose, this.isPolled));
  }

  private freeing(free: () => void): void {
    const isAwaited = this.hooks.isAwaited();
    free();
    if (isAwaited) this.hooks.freed();
  }
}

function keyOf(agentId: string, organization: string): string {
  return `${agentId} ${organization}`;
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
