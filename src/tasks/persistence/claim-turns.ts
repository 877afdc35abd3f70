import { roomIn } from '../domain/fair-share.js';
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
      held: this.heldAt({ untold, agent_id, organization }),
    };
    return Math.min(left, roomIn(inAll), roomIn(atAgent));
  }

  /** How many places of its agent an organization has, those just claimed included. */
  heldAt({ agent_id, organization }: Line): number {
    const got = this.got.get(keyOf(agent_id, organization)) ?? 0;
    return (this.shares?.heldAt(agent_id, organization) ?? 0) + got;
  }

  /** When an organization last had a place of its agent; 0 where it is not known. */
  lastHadAt({ agent_id, organization }: Line): number {
    return this.shares?.lastHadAt(agent_id, organization) ?? 0;
  }

  /** How many places are left of an agent, whoever may have them. */
  leftAt(agentId: string): number {
    return this.messages.leftFor(agentId);
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
 * whose agent it has room. Of those for an agent with less room than wait for it, only those are chosen from that
 * are next there. `waiting` need not be in order.
 */
export function chooseInTurn(waiting: readonly Waiting[], room: ClaimRoom): Waiting[] {
  const ordered = [...waiting].sort(byAge);
  const chosen: Waiting[] = [];
  const take = (each: Waiting): void => {
    room.take(each);
    chosen.push(each);
  };
  for (const each of ordered) if (each.untold === 1 && room.for(each) > 0) take(each);
  const { next, others } = nextAtAgents(
    ordered.filter(({ untold }) => untold === 0),
    room,
  );
  takeInTurn(next, room, take);
  // What those leave that have their share of the process.
  takeInTurn(others, room, take);
  return chosen;
}

/** In both, rows are in order. */
interface Sorted {
  readonly next: Waiting[];
  readonly others: Waiting[];
}

/** Those that have the next places of their agents, and the others. */
function nextAtAgents(ordered: readonly Waiting[], room: ClaimRoom): Sorted {
  const isNext = new Set<Waiting>();
  for (const [agentId, rows] of groupsOf(ordered, ({ agent_id }) => agent_id)) {
    const left = room.leftAt(agentId);
    const first = rows.length <= left ? rows : nextOf(rows, left, room);
    for (const row of first) isNext.add(row);
  }
  return {
    next: ordered.filter((row) => isNext.has(row)),
    others: ordered.filter((row) => !isNext.has(row)),
  };
}

/** Who has the next `left` places of one agent: one after another, whoever has the fewest, then had one longest ago. */
function nextOf(rows: readonly Waiting[], left: number, room: ClaimRoom): Waiting[] {
  const lines = [...groupsOf(rows, ({ organization }) => organization).values()].map((of) => {
    const [head] = of as [Waiting];
    return { of, at: 0, held: room.heldAt(head), last: room.lastHadAt(head) };
  });
  const next: Waiting[] = [];
  while (next.length < left) {
    const [first, ...others] = lines.filter(({ of, at }) => at < of.length);
    if (first === undefined) break;
    const line = others.reduce(
      (best, each) => ((each.held - best.held || each.last - best.last) < 0 ? each : best),
      first,
    );
    next.push(line.of[line.at++]!);
    line.held += 1;
  }
  return next;
}

function takeInTurn(
  ordered: readonly Waiting[],
  room: ClaimRoom,
  take: (each: Waiting) => void,
): void {
  let queues = [...groupsOf(ordered, ({ organization }) => organization)].map(
    ([organization, rows]): Queue => ({ organization, rows, at: 0 }),
  );
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
}

/** Those of one organization, and how many of them are through. */
interface Queue {
  readonly organization: string;
  readonly rows: readonly Waiting[];
  at: number;
}

/** The first one's group first, each in the order of `rows`. */
function groupsOf(
  rows: readonly Waiting[],
  keyOf: (row: Waiting) => string,
): Map<string, Waiting[]> {
  const groups = new Map<string, Waiting[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
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
