import { roomIn } from '../domain/shares.js';
import type { Shares } from '../task-store.js';
import type { DelegationState } from '../task.js';

/** A delegation that may be claimed. */
export interface Waiting {
  readonly id: string;
  readonly agent_id: string;
  readonly organization: string;
  readonly state: DelegationState;
  /** 1: it has ended, and its agent is to be told; 0: a message is to be sent, or a task to be looked after. */
  readonly untold: number;
  readonly claimable_at: number;
  /** Its turn among those for its agent: the least comes first. */
  readonly turn_at: number;
}

/** Whom a delegation is for, as far as shares go. */
export type Line = Pick<Waiting, 'untold' | 'agent_id' | 'organization'>;

/** How much may still be claimed: in all and for each agent, of messages and of farewells apart. */
export class ClaimRoom {
  private readonly messages: Room;
  private readonly farewells: Room;
  private readonly held: Map<string, number>;
  /** What organizations have got of agents here, by both. */
  private readonly got = new Map<string, number>();

  constructor(
    limit: number,
    private readonly shares?: Shares,
  ) {
    const maxOf = (agentId: string): number => shares?.maxOf(agentId) ?? Infinity;
    this.messages = new Room(limit, maxOf, shares?.taken);
    const told = shares?.farewells ?? { free: limit, maxPerAgent: Infinity, taken: new Map() };
    this.farewells = new Room(told.free, () => told.maxPerAgent, told.taken);
    this.held = new Map(shares?.organizations);
  }

  get isOver(): boolean {
    return this.messages.free <= 0 && this.farewells.free <= 0;
  }

  /** How many more may be claimed of those with this `untold`, whoever they are for. */
  free(untold: number): number {
    return this.of(untold).free;
  }

  /** How many more may be claimed for this agent and organization. */
  for({ untold, agent_id, organization }: Line): number {
    const left = this.of(untold).for(agent_id);
    const { shares } = this;
    if (left <= 0 || untold === 1 || shares === undefined) return left;
    const inAll = { left: this.messages.free, kept: shares.kept, held: this.heldBy(organization) };
    const atAgent = {
      left: this.messages.leftFor(agent_id),
      kept: shares.keptAt(agent_id),
      held:
        shares.heldAt(agent_id, organization) + (this.got.get(keyOf(agent_id, organization)) ?? 0),
    };
    return Math.min(left, roomIn(inAll), roomIn(atAgent));
  }

  /** The agents that may have no more of those with this `untold`. */
  full(untold: number): string[] {
    return this.of(untold).full;
  }

  /** How many places an organization has, those just claimed included. */
  heldBy(organization: string): number {
    return this.held.get(organization) ?? 0;
  }

  take({ untold, agent_id, organization }: Waiting): void {
    this.of(untold).take(agent_id);
    if (untold === 1) return;
    this.held.set(organization, this.heldBy(organization) + 1);
    const key = keyOf(agent_id, organization);
    this.got.set(key, (this.got.get(key) ?? 0) + 1);
  }

  private of(untold: number): Room {
    return untold === 1 ? this.farewells : this.messages;
  }
}

class Room {
  private readonly taken: Map<string, number>;

  constructor(
    public free: number,
    private readonly maxOf: (agentId: string) => number,
    taken: ReadonlyMap<string, number> = new Map(),
  ) {
    this.taken = new Map(taken);
  }

  get full(): string[] {
    return [...this.taken].filter(([id, count]) => count >= this.maxOf(id)).map(([id]) => id);
  }

  for(agentId: string): number {
    return Math.max(0, Math.min(this.free, this.leftFor(agentId)));
  }

  leftFor(agentId: string): number {
    return this.maxOf(agentId) - (this.taken.get(agentId) ?? 0);
  }

  take(agentId: string): void {
    this.free -= 1;
    this.taken.set(agentId, (this.taken.get(agentId) ?? 0) + 1);
  }
}

/**
 * Chooses of those that wait, until there is no more room: farewells the oldest first; of the others one at
 * a time, of the organization that has the fewest places (of equals the one whose turn comes first), its first for
 * whose agent it has room. `waiting` need not be in order.
 */
export function chooseInTurn(waiting: readonly Waiting[], room: ClaimRoom): Waiting[] {
  const ordered = [...waiting].sort(byAge);
  const chosen: Waiting[] = [];
  const take = (each: Waiting): void => {
    room.take(each);
    chosen.push(each);
  };
  for (const each of ordered) if (each.untold === 1 && room.for(each) > 0) take(each);
  let queues = queuesOf(ordered.filter(({ untold }) => untold === 0));
  while (room.free(0) > 0) {
    for (const queue of queues) skipFull(queue, room);
    queues = queues.filter(({ rows, at }) => at < rows.length);
    const [first, ...others] = queues;
    if (!first) break;
    const held = (queue: Queue): number => room.heldBy(queue.organization);
    const queue = others.reduce((best, each) => (held(each) < held(best) ? each : best), first);
    const next = queue.rows[queue.at++];
    if (next) take(next);
  }
  return chosen;
}

/** Those of one organization, and how many of them are through. */
interface Queue {
  readonly organization: string;
  readonly rows: Waiting[];
  at: number;
}

/** The first one's queue first. */
function queuesOf(rows: readonly Waiting[]): Queue[] {
  const queues = new Map<string, Queue>();
  for (const row of rows) {
    const { organization } = row;
    const queue = queues.get(organization) ?? { organization, rows: [], at: 0 };
    queue.rows.push(row);
    queues.set(organization, queue);
  }
  return [...queues.values()];
}

/** Who has no room for an agent gets none: nothing is given back here. */
function skipFull(queue: Queue, room: ClaimRoom): void {
  for (let next = queue.rows[queue.at]; next && room.for(next) <= 0; next = queue.rows[queue.at]) {
    queue.at += 1;
  }
}

function keyOf(agentId: string, organization: string): string {
  return `${agentId} ${organization}`;
}

function byAge(a: Waiting, b: Waiting): number {
  return a.claimable_at - b.claimable_at || a.turn_at - b.turn_at || (a.id < b.id ? -1 : 1);
}
