import { leaseBounds } from '../../../database/leases.js';
import type { Tx, Work } from '../../../database/sql.js';
import {
  type ActiveStreams,
  type EndpointCapacity,
  type ClaimLimits,
  type EndpointTier,
  permitsLeft,
} from '../domain/stream-choice.js';
import type { CapacityRow } from '../../receivers/persistence/endpoint-rows.js';
import { LEASED } from './stream-leases.js';

/** An endpoint with a stream that has waited so long for its answer counts as slow. */
const SLOW_MS = 2000;

/** The streams at work at an endpoint. */
export interface ActiveRow {
  readonly organization: string;
  readonly endpoint: string;
  readonly total: number;
  readonly mine: number;
  readonly oldest: number;
}

export function* activeStreams(
  tx: Tx,
  { owner, leaseMs }: { readonly owner: string; readonly leaseMs: number },
  at: number,
): Work<ActiveRow[]> {
  return yield* tx.all<ActiveRow>(
    `SELECT organization, endpoint, COUNT(*) AS total, MIN(updated_at) AS oldest,
       SUM(CASE WHEN owner = ? THEN 1 ELSE 0 END) AS mine
     FROM push_delivery_streams WHERE ${LEASED} GROUP BY organization, endpoint`,
    [owner, ...leaseBounds(at, leaseMs)],
  );
}

/** Streams that one claim leases ahead, of all endpoints together: a claim stays short. */
const MOST_PREFETCHED = 128;

/** What endpoints can still take, going by their rows and the streams at work. */
export class EndpointCapacities {
  readonly busy: ActiveStreams;
  /** How many more streams each tier may have in this process. */
  readonly permits: ReadonlyMap<EndpointTier, number>;
  private readonly slow: ReadonlySet<string>;
  /** Streams that are leased, by other processes and by this one. */
  private readonly others = new Map<string, number>();
  private readonly mine = new Map<string, number>();
  /** Streams that this claim may lease ahead, and how many of them each endpoint gets. */
  private prefetchLeft: number;
  private readonly prefetches = new Map<string, number>();

  constructor(
    private readonly rows: ReadonlyMap<string, CapacityRow>,
    activeRows: readonly ActiveRow[],
    private readonly caps: ClaimLimits,
    private readonly startConcurrency: number,
    private readonly at: number,
  ) {
    this.prefetchLeft = Math.min(MOST_PREFETCHED, caps.own?.prefetchLeft ?? 0);
    const waiting = activeRows.filter((row) => row.oldest <= at - SLOW_MS);
    this.slow = new Set(waiting.map((row) => row.endpoint));
    this.busy = this.busyOf(activeRows);
    this.permits = permitsLeft(this.busy, caps);
  }

  of(endpoint: string): EndpointCapacity {
    const row = this.rows.get(endpoint);
    const tier = this.tierOf(endpoint);
    if (row && streamsWait(row)) return { tier, free: probeCapacity(row, this.at), prefetch: 0 };
    const { perEndpoint, own } = this.caps;
    const most = Math.min(perEndpoint, row?.concurrency ?? this.startConcurrency);
    // A permit counts also while its stream has no lease any more: it goes on to another.
    const sending = own?.at(endpoint) ?? this.mine.get(endpoint) ?? 0;
    const free = most - (this.others.get(endpoint) ?? 0) - sending;
    const isPrefetched = tier === 'proven' && most === perEndpoint && free >= 0;
    return { tier, free, prefetch: isPrefetched ? this.prefetchOf(endpoint) : 0 };
  }

  /** The endpoints with streams at work that can take no more. */
  full(): string[] {
    return [...this.busy.endpoints.keys()].filter((endpoint) => {
      const { tier, free, prefetch } = this.of(endpoint);
      return (free <= 0 && prefetch <= 0) || (tier === 'slow' && this.permits.get(tier)! <= 0);
    });
  }

  /** The same however often it is asked for. */
  private prefetchOf(endpoint: string): number {
    const known = this.prefetches.get(endpoint);
    if (known !== undefined) return known;
    const prefetch = Math.min(this.caps.own?.prefetchOf(endpoint) ?? 0, this.prefetchLeft);
    this.prefetchLeft -= prefetch;
    this.prefetches.set(endpoint, prefetch);
    return prefetch;
  }

  private tierOf(endpoint: string): EndpointTier {
    const row = this.rows.get(endpoint);
    if (row && (row.failures > 0 || streamsWait(row))) return 'failing';
    if (this.slow.has(endpoint)) return 'slow';
    return row && row.lastSuccessAt !== null ? 'proven' : 'new';
  }

  private busyOf(rows: readonly ActiveRow[]): ActiveStreams {
    const endpoints = new Map<string, number>();
    const organizations = new Map<string, number>();
    const here = new Map<string, number>();
    const tiers = new Map<EndpointTier, number>();
    const { own, perEndpoint } = this.caps;
    for (const { organization, endpoint, total, mine } of rows) {
      // Of those of others it is not known which of them only wait: each may be sent now.
      const others = total - mine;
      const sending = own === undefined ? mine : Math.min(mine, own.at(endpoint));
      add(this.others, endpoint, others);
      add(this.mine, endpoint, mine);
      add(endpoints, endpoint, others + sending);
      add(organizations, organization, Math.min(others, perEndpoint) + sending);
      add(here, organization, sending);
      add(tiers, this.tierOf(endpoint), sending);
    }
    return { endpoints, organizations, here, tiers };
  }
}

/** Whether its streams wait, but for one that tries. */
export function streamsWait(row: CapacityRow | undefined): boolean {
  return row !== undefined && (row.probeAt !== null || row.disableCursor !== null);
}

function probeCapacity(row: CapacityRow, at: number): number {
  const isDue = row.probeAt !== null && row.probeAt <= at;
  const isFree = row.probeUntil === null || row.probeUntil <= at;
  return isDue && isFree && row.disableCursor === null ? 1 : 0;
}

function add<K>(counts: Map<K, number>, key: K, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
