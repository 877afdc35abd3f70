/** How many lanes may be worked on at once. */
export interface LaneCaps {
  /** How many more this process can take. */
  readonly free: number;
  /** At most this many per endpoint, over all processes. */
  readonly perEndpoint: number;
}

export interface LaneCandidate {
  readonly id: string;
  readonly organization: string;
  readonly endpoint: string;
}

/** How many lanes are worked on now, over all processes. */
export interface BusyLanes {
  readonly endpoints: ReadonlyMap<string, number>;
  readonly organizations: ReadonlyMap<string, number>;
}

/** Organizations remembered; one that is forgotten counts as never served. */
const MAX_REMEMBERED = 10_000;

/** When each organization was last served, so that those that hold as much take turns. */
export class LaneTurns {
  /** By organization, longest ago first. */
  private readonly last = new Map<string, number>();
  private count = 0;

  /** Rises with every turn taken; 0 for an organization that had none. */
  lastOf(organization: string): number {
    return this.last.get(organization) ?? 0;
  }

  take(organization: string): void {
    this.last.delete(organization);
    this.last.set(organization, ++this.count);
    if (this.last.size <= MAX_REMEMBERED) return;
    for (const [oldest] of this.last) {
      this.last.delete(oldest);
      break;
    }
  }
}

/** Organizations in the order they are served: who holds less, then who waited longer for a turn. */
export function inTurn(
  organizations: readonly string[],
  held: ReadonlyMap<string, number>,
  turns: LaneTurns,
): string[] {
  const heldBy = (each: string): number => held.get(each) ?? 0;
  return [...organizations].sort(
    (a, b) => heldBy(a) - heldBy(b) || turns.lastOf(a) - turns.lastOf(b),
  );
}

/**
 * Which of the due lanes (longest due first) are taken. Each free place goes to the organization that
 * holds the fewest lanes, counting the `busy` ones; among equals to the one whose last turn is longest
 * ago. At most `perEndpoint` of an endpoint counting the `busy` ones, at most `free` in all. Notes the
 * turns taken.
 */
export function chooseLanes(
  due: readonly LaneCandidate[],
  busy: BusyLanes,
  caps: LaneCaps,
  turns: LaneTurns,
): string[] {
  const queues = new Map<string, LaneCandidate[]>();
  for (const lane of due) {
    const queue = queues.get(lane.organization);
    if (queue) queue.push(lane);
    else queues.set(lane.organization, [lane]);
  }
  const held = new Map(busy.organizations);
  const sending = new Map(busy.endpoints);
  const chosen: string[] = [];
  while (chosen.length < caps.free && queues.size > 0) {
    const [organization] = inTurn([...queues.keys()], held, turns);
    const queue = queues.get(organization!)!;
    const at = queue.findIndex(({ endpoint }) => countOf(sending, endpoint) < caps.perEndpoint);
    const [lane] = at < 0 ? [] : queue.splice(0, at + 1).slice(-1);
    if (!lane) {
      queues.delete(organization!);
      continue;
    }
    chosen.push(lane.id);
    sending.set(lane.endpoint, countOf(sending, lane.endpoint) + 1);
    held.set(lane.organization, countOf(held, lane.organization) + 1);
    turns.take(lane.organization);
  }
  return chosen;
}

function countOf(counts: ReadonlyMap<string, number>, key: string): number {
  return counts.get(key) ?? 0;
}
