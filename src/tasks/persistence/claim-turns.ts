import { availableTo } from '../domain/fair-share.js';
import type { ClaimQuota } from '../store/claimed-task.js';
import type { DelegationState } from '../task.js';

/** A delegation that may be claimed. */
export interface Waiting {
  readonly id: string;
  readonly agent_id: string;
  readonly organization: string;
  readonly state: DelegationState;
  /** 1: it has ended with a cancel pending; 0: a message is to be sent, or a task to be followed. */
  readonly cancel_pending: number;
  readonly claimable_at: number;
  /** Its turn among those for its agent: the least comes first. */
  readonly turn_at: number;
}

/** The queue of a delegation: of one organization for one agent. */
export type QueueKey = Pick<Waiting, 'cancel_pending' | 'agent_id' | 'organization'>;

/** How much may still be claimed: in total and for each agent, runs and cancels apart. */
export class ClaimCapacity {
  private readonly runs: Capacity;
  private readonly cancels: Capacity;
  private readonly held: Map<string, number>;
  /** What organizations have been granted of agents here, by both. */
  private readonly granted = new Map<string, number>();

  constructor(
    limit: number,
    private readonly quota?: ClaimQuota,
  ) {
    const maxOf = (agentId: string): number => quota?.maxOf(agentId) ?? Infinity;
    this.runs = new Capacity(limit, maxOf, quota?.inUse);
    const cancels = quota?.cancels ?? { free: limit, maxPerAgent: Infinity, inUse: new Map() };
    this.cancels = new Capacity(cancels.free, () => cancels.maxPerAgent, cancels.inUse);
    this.held = new Map(quota?.organizations);
  }

  get isUsedUp(): boolean {
    return this.runs.free <= 0 && this.cancels.free <= 0;
  }

  /** How many more may be claimed of those with this `cancel_pending`, whoever they are for. */
  free(cancel_pending: number): number {
    return this.of(cancel_pending).free;
  }

  /** How many more may be claimed for this agent and organization. */
  for({ cancel_pending, agent_id, organization }: QueueKey): number {
    const left = this.of(cancel_pending).for(agent_id);
    const { quota } = this;
    if (left <= 0 || cancel_pending === 1 || quota === undefined) return left;
    const inTotal = {
      free: this.runs.free,
      reserved: quota.reserved,
      held: this.heldBy(organization),
    };
    const atAgent = {
      free: this.runs.leftFor(agent_id),
      reserved: quota.reservedAt(agent_id),
      held: this.heldAt({ cancel_pending, agent_id, organization }),
    };
    return Math.min(left, availableTo(inTotal), availableTo(atAgent));
  }

  /** How many permits of its agent an organization holds, those just claimed included. */
  heldAt({ agent_id, organization }: QueueKey): number {
    const granted = this.granted.get(keyOf(agent_id, organization)) ?? 0;
    return (this.quota?.heldAt(agent_id, organization) ?? 0) + granted;
  }

  /** When an organization last held a permit of its agent; 0 where it is not known. */
  lastHeldAt({ agent_id, organization }: QueueKey): number {
    return this.quota?.lastHeldAt(agent_id, organization) ?? 0;
  }

  /** How many permits are left of an agent, for whichever organization. */
  leftAt(agentId: string): number {
    return this.runs.leftFor(agentId);
  }

  /** The agents at their limit of those with this `cancel_pending`. */
  full(cancel_pending: number): string[] {
    return this.of(cancel_pending).full;
  }

  /** How many permits an organization holds, those just claimed included. */
  heldBy(organization: string): number {
    return this.held.get(organization) ?? 0;
  }

  take({ cancel_pending, agent_id, organization }: Waiting): void {
    this.of(cancel_pending).take(agent_id);
    if (cancel_pending === 1) return;
    this.held.set(organization, this.heldBy(organization) + 1);
    const key = keyOf(agent_id, organization);
    this.granted.set(key, (this.granted.get(key) ?? 0) + 1);
  }

  private of(cancel_pending: number): Capacity {
    return cancel_pending === 1 ? this.cancels : this.runs;
  }
}

class Capacity {
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
 * Chooses of those that wait, until the capacity is used up: pending cancels the oldest first; of the others one
 * at a time, of the organization that holds the fewest permits (of equals the one whose turn comes first), its
 * first one whose agent has capacity. Where more wait for an agent than it has capacity for, only those are
 * chosen from that are next there. `waiting` need not be in order.
 */
export function chooseInTurn(waiting: readonly Waiting[], capacity: ClaimCapacity): Waiting[] {
  const ordered = [...waiting].sort(byAge);
  const chosen: Waiting[] = [];
  const take = (each: Waiting): void => {
    capacity.take(each);
    chosen.push(each);
  };
  for (const each of ordered) if (each.cancel_pending === 1 && capacity.for(each) > 0) take(each);
  const { next, others } = nextAtAgents(
    ordered.filter(({ cancel_pending }) => cancel_pending === 0),
    capacity,
  );
  takeInTurn(next, capacity, take);
  // What is left by organizations that hold their share of the process.
  takeInTurn(others, capacity, take);
  return chosen;
}

/** In both, rows are in order. */
interface Sorted {
  readonly next: Waiting[];
  readonly others: Waiting[];
}

/** Those that get the next permits of their agents, and the others. */
function nextAtAgents(ordered: readonly Waiting[], capacity: ClaimCapacity): Sorted {
  const isNext = new Set<Waiting>();
  for (const [agentId, rows] of groupsOf(ordered, ({ agent_id }) => agent_id)) {
    const left = capacity.leftAt(agentId);
    const first = rows.length <= left ? rows : nextOf(rows, left, capacity);
    for (const row of first) isNext.add(row);
  }
  return {
    next: ordered.filter((row) => isNext.has(row)),
    others: ordered.filter((row) => !isNext.has(row)),
  };
}

/** The next `left` for one agent: one after another, of the organization that holds the fewest, then of the one that held one longest ago. */
function nextOf(rows: readonly Waiting[], left: number, capacity: ClaimCapacity): Waiting[] {
  const queues = [...groupsOf(rows, ({ organization }) => organization).values()].map((of) => {
    const [head] = of as [Waiting];
    return { of, at: 0, held: capacity.heldAt(head), last: capacity.lastHeldAt(head) };
  });
  const next: Waiting[] = [];
  while (next.length < left) {
    const [first, ...others] = queues.filter(({ of, at }) => at < of.length);
    if (first === undefined) break;
    const queue = others.reduce(
      (best, each) => ((each.held - best.held || each.last - best.last) < 0 ? each : best),
      first,
    );
    next.push(queue.of[queue.at++]!);
    queue.held += 1;
  }
  return next;
}

function takeInTurn(
  ordered: readonly Waiting[],
  capacity: ClaimCapacity,
  take: (each: Waiting) => void,
): void {
  let queues = [...groupsOf(ordered, ({ organization }) => organization)].map(
    ([organization, rows]): Queue => ({ organization, rows, at: 0 }),
  );
  while (capacity.free(0) > 0) {
    for (const queue of queues) skipFull(queue, capacity);
    queues = queues.filter(({ rows, at }) => at < rows.length);
    const [first, ...others] = queues;
    if (!first) break;
    const held = (queue: Queue): number => capacity.heldBy(queue.organization);
    const queue = others.reduce((best, each) => (held(each) < held(best) ? each : best), first);
    const next = queue.rows[queue.at++];
    if (next) take(next);
  }
}

/** Those of one organization, and how many of them have been chosen or skipped. */
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

/** Skips those without capacity: none is released while claiming. */
function skipFull(queue: Queue, capacity: ClaimCapacity): void {
  for (
    let next = queue.rows[queue.at];
    next && capacity.for(next) <= 0;
    next = queue.rows[queue.at]
  ) {
    queue.at += 1;
  }
}

function keyOf(agentId: string, organization: string): string {
  return `${agentId} ${organization}`;
}

function byAge(a: Waiting, b: Waiting): number {
  return a.claimable_at - b.claimable_at || a.turn_at - b.turn_at || (a.id < b.id ? -1 : 1);
}
