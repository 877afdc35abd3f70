/** How many streams may be worked on at once. */
export interface ClaimLimits {
  /** How many more this process can take. */
  readonly free: number;
  /** At most this many per endpoint, over all processes. */
  readonly perEndpoint: number;
  /** How many this process takes in all; {@link SHARES} and {@link RESERVE} are parts of it. */
  readonly total?: number;
  /** What this process sends at once; without it, all it has leased is sent at once. */
  readonly own?: OwnPermits;
}

/** What this process has of the endpoints, as a claim has to count with. */
export interface OwnPermits {
  /** How many attempts it may make there at once; its other streams there only wait for that. */
  at(endpoint: string): number;
  /** How many more streams it may lease than it can send at once. */
  prefetchOf(endpoint: string): number;
  /** How many of those it may lease in all. */
  readonly prefetchLeft: number;
}

/**
 * What is to be expected of an endpoint: `proven`: it answered last time; `new`: it never has;
 * `failing`: it did not last time; `slow`: it has a stream that waits for its answer right now.
 */
export type EndpointTier = 'proven' | 'new' | 'failing' | 'slow';

/**
 * The share of a process's capacities that no organization can take, even when it is alone: what is there at
 * once for the others.
 */
export const RESERVE = 0.25;

/**
 * The share of a process's capacities that all endpoints of a tier may have together. What is left is
 * for proven ones alone, however many others hang.
 */
export const SHARES: Readonly<Record<EndpointTier, number>> = {
  proven: 1,
  new: 0.25,
  failing: 0.25,
  slow: 0.25,
};

export interface StreamCandidate {
  readonly id: string;
  readonly organization: string;
  readonly endpoint: string;
  /** What it is served by, the least first. */
  readonly dueAt: number;
}

/** An endpoint at the time of a choice. */
export interface EndpointCapacity {
  readonly tier: EndpointTier;
  /** How many more streams it may have. */
  readonly free: number;
  /** How many more this process may lease beyond that, to wait there. */
  readonly prefetch: number;
}

/** How many streams are worked on now. */
export interface ActiveStreams {
  /** Over all processes. */
  readonly endpoints: ReadonlyMap<string, number>;
  /** Over all processes. */
  readonly organizations: ReadonlyMap<string, number>;
  /** The organizations' by this process. */
  readonly here: ReadonlyMap<string, number>;
  /** By this process. */
  readonly tiers: ReadonlyMap<EndpointTier, number>;
}

/** Organizations remembered; one that is forgotten counts as never served. */
const MAX_REMEMBERED = 10_000;

/** When each organization was last served, so that those that hold as much take turns. */
export class OrganizationTurns {
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

/** The streams of an endpoint that could be taken, the first due last. */
interface Queue {
  readonly endpoint: string;
  readonly streams: StreamCandidate[];
}

/**
 * Which streams are claimed. Each free permit goes to the organization that holds the fewest streams, counting
 * the `busy` ones; among equals to the one whose last turn is longest ago. In an organization it goes to
 * the endpoint that holds the fewest, then to the one whose first stream is due longest; in an endpoint
 * to the stream that is due longest. No endpoint gets more than its free, no tier more than its share,
 * no organization what is reserved for the others. Notes the turns taken.
 */
export function chooseStreams(
  due: readonly StreamCandidate[],
  capacities: ReadonlyMap<string, EndpointCapacity>,
  busy: ActiveStreams,
  caps: ClaimLimits,
  turns: OrganizationTurns,
): StreamCandidate[] {
  const waiting = byOrganization(due);
  const held = new Map(busy.organizations);
  const here = new Map(busy.here);
  const most = caps.total === undefined ? Infinity : caps.total - Math.floor(caps.total * RESERVE);
  const sending = new Map(busy.endpoints);
  const taken = new Map<string, number>();
  const permits = permitsLeft(busy, caps);
  const chosen: StreamCandidate[] = [];
  while (chosen.length < caps.free && waiting.size > 0) {
    const organization = nextInTurn(waiting.keys(), held, turns);
    const queues = waiting.get(organization)!;
    const open = queues.filter(({ endpoint, streams }) => {
      const { tier, free } = capacities.get(endpoint)!;
      return streams.length > 0 && count(taken, endpoint) < free && permits.get(tier)! > 0;
    });
    const queue = count(here, organization) < most ? leastServed(open, sending) : undefined;
    if (!queue) {
      waiting.delete(organization);
      continue;
    }
    waiting.set(organization, open);
    chosen.push(queue.streams.pop()!);
    for (const counts of [taken, sending]) add(counts, queue.endpoint, 1);
    for (const counts of [held, here]) add(counts, organization, 1);
    add(permits, capacities.get(queue.endpoint)!.tier, -1);
    turns.take(organization);
  }
  return chosen;
}

/**
 * The streams that are leased to wait: where a permit was chosen for one, or is held, the next ones, longest
 * due first, as many as may be.
 */
export function choosePrefetched(
  due: readonly StreamCandidate[],
  chosen: readonly StreamCandidate[],
  capacities: ReadonlyMap<string, EndpointCapacity>,
  { own }: Pick<ClaimLimits, 'own'>,
): StreamCandidate[] {
  if (own === undefined) return [];
  const taken = new Set(chosen);
  const begun = new Set(chosen.map(({ endpoint }) => endpoint));
  const left = new Map<string, number>();
  for (const [endpoint, { prefetch }] of capacities) {
    const isServed = begun.has(endpoint) || own.at(endpoint) > 0;
    if (prefetch > 0 && isServed) left.set(endpoint, prefetch);
  }
  if (left.size === 0) return [];
  const waiting = due.filter((stream) => left.has(stream.endpoint) && !taken.has(stream));
  return waiting
    .sort((a, b) => a.dueAt - b.dueAt)
    .filter(({ endpoint }) => {
      const more = count(left, endpoint);
      left.set(endpoint, more - 1);
      return more > 0;
    });
}

function byOrganization(due: readonly StreamCandidate[]): Map<string, Queue[]> {
  const queues = new Map<string, Queue>();
  const organizations = new Map<string, Queue[]>();
  for (const stream of [...due].sort((a, b) => a.dueAt - b.dueAt)) {
    let queue = queues.get(stream.endpoint);
    if (!queue) {
      queue = { endpoint: stream.endpoint, streams: [] };
      queues.set(stream.endpoint, queue);
      const known = organizations.get(stream.organization);
      if (known) known.push(queue);
      else organizations.set(stream.organization, [queue]);
    }
    queue.streams.push(stream);
  }
  for (const { streams } of queues.values()) streams.reverse();
  return organizations;
}

/** How many more streams each tier may have in this process. */
export function permitsLeft(
  { tiers }: Pick<ActiveStreams, 'tiers'>,
  { total }: Pick<ClaimLimits, 'total'>,
): Map<EndpointTier, number> {
  const left = new Map<EndpointTier, number>();
  for (const tier of Object.keys(SHARES) as EndpointTier[]) {
    const share =
      total === undefined || tier === 'proven'
        ? Infinity
        : Math.max(1, Math.floor(total * SHARES[tier]));
    left.set(tier, share - (tiers.get(tier) ?? 0));
  }
  return left;
}

/** Who holds less, then who waited longer for a turn. */
function nextInTurn(
  organizations: Iterable<string>,
  held: ReadonlyMap<string, number>,
  turns: OrganizationTurns,
): string {
  let best: string | undefined;
  for (const each of organizations) {
    if (best === undefined) {
      best = each;
      continue;
    }
    const order = count(held, each) - count(held, best) || turns.lastOf(each) - turns.lastOf(best);
    if (order < 0) best = each;
  }
  return best!;
}

function leastServed(
  queues: readonly Queue[],
  sending: ReadonlyMap<string, number>,
): Queue | undefined {
  let best: Queue | undefined;
  for (const queue of queues) {
    if (best === undefined || before(queue, best, sending)) best = queue;
  }
  return best;
}

function before(a: Queue, b: Queue, sending: ReadonlyMap<string, number>): boolean {
  const order =
    count(sending, a.endpoint) - count(sending, b.endpoint) ||
    a.streams.at(-1)!.dueAt - b.streams.at(-1)!.dueAt;
  return order < 0;
}

function count(counts: ReadonlyMap<string, number>, key: string): number {
  return counts.get(key) ?? 0;
}

function add<K>(counts: Map<K, number>, key: K, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
