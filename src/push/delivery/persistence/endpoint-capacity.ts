import type { Tx, Work } from '../../../database/sql.js';
import {
  type ActiveStreams,
  type EndpointCapacity,
  type ClaimLimits,
  type EndpointTier,
  permitsLeft,
} from '../domain/stream-choice.js';
import type { EndpointRow } from '../../receivers/persistence/endpoint-rows.js';
import { LEASED, leaseBounds } from './stream-leases.js';

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

/** What endpoints can still take, going by their rows and the streams at work. */
export class EndpointCapacities {
  readonly busy: ActiveStreams;
  /** How many more streams each tier may have in this process. */
  readonly permits: ReadonlyMap<EndpointTier, number>;
  private readonly slow: ReadonlySet<string>;

  constructor(
    private readonly rows: ReadonlyMap<string, EndpointRow>,
    activeRows: readonly ActiveRow[],
    private readonly caps: ClaimLimits,
    private readonly startConcurrency: number,
    private readonly at: number,
  ) {
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
    const free = most - (this.busy.endpoints.get(endpoint) ?? 0);
    const isPrefetched = own !== undefined && tier === 'proven' && most === perEndpoint;
    return { tier, free, prefetch: isPrefetched ? own.prefetchOf(endpoint) : 0 };
  }

  /** The endpoints with streams at work that can take no more. */
  full(): string[] {
    return [...this.busy.endpoints.keys()].filter((endpoint) => {
      const { tier, free, prefetch } = this.of(endpoint);
      return (free <= 0 && prefetch <= 0) || (tier === 'slow' && this.permits.get(tier)! <= 0);
    });
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
      add(endpoints, endpoint, others + sending);
      add(organizations, organization, Math.min(others, perEndpoint) + sending);
      add(here, organization, sending);
      add(tiers, this.tierOf(endpoint), sending);
    }
    return { endpoints, organizations, here, tiers };
  }
}

/** Whether its streams wait, but for one that tries. */
export function streamsWait(row: EndpointRow | undefined): boolean {
  return row !== undefined && (row.probeAt !== null || row.disableCursor !== null);
}

function probeCapacity(row: EndpointRow, at: number): number {
  const isDue = row.probeAt !== null && row.probeAt <= at;
  const isFree = row.probeUntil === null || row.probeUntil <= at;
  return isDue && isFree && row.disableCursor === null ? 1 : 0;
}

function add<K>(counts: Map<K, number>, key: K, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
