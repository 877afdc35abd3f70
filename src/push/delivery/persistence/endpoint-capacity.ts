import type { Tx, Work } from '../../../database/sql.js';
import {
  type BusyLanes,
  type EndpointPlace,
  type LaneCaps,
  type Standing,
  sharesLeft,
} from '../domain/stream-choice.js';
import type { EndpointRow } from '../../receivers/persistence/endpoint-rows.js';
import { LEASED, leaseBounds } from './stream-leases.js';

/** An endpoint with a lane that has waited so long for its answer counts as slow. */
const SLOW_MS = 2000;

/** The lanes at work at an endpoint. */
export interface BusyRow {
  readonly organization: string;
  readonly endpoint: string;
  readonly total: number;
  readonly mine: number;
  readonly oldest: number;
}

export function* busyLanes(
  tx: Tx,
  { owner, leaseMs }: { readonly owner: string; readonly leaseMs: number },
  at: number,
): Work<BusyRow[]> {
  return yield* tx.all<BusyRow>(
    `SELECT organization, endpoint, COUNT(*) AS total, MIN(updated_at) AS oldest,
       SUM(CASE WHEN owner = ? THEN 1 ELSE 0 END) AS mine
     FROM push_lanes WHERE ${LEASED} GROUP BY organization, endpoint`,
    [owner, ...leaseBounds(at, leaseMs)],
  );
}

/** What endpoints can still take, going by their rows and the lanes at work. */
export class Places {
  readonly busy: BusyLanes;
  /** How many more lanes each standing may have in this process. */
  readonly shares: ReadonlyMap<Standing, number>;
  private readonly slow: ReadonlySet<string>;

  constructor(
    private readonly rows: ReadonlyMap<string, EndpointRow>,
    busyRows: readonly BusyRow[],
    private readonly caps: LaneCaps,
    private readonly startSlots: number,
    private readonly at: number,
  ) {
    const waiting = busyRows.filter((row) => Number(row.oldest) <= at - SLOW_MS);
    this.slow = new Set(waiting.map((row) => row.endpoint));
    this.busy = this.busyOf(busyRows);
    this.shares = sharesLeft(this.busy, caps);
  }

  of(endpoint: string): EndpointPlace {
    const row = this.rows.get(endpoint);
    const room =
      row && lanesWait(row)
        ? probeRoom(row, this.at)
        : Math.min(this.caps.perEndpoint, row?.slots ?? this.startSlots) -
          (this.busy.endpoints.get(endpoint) ?? 0);
    return { standing: this.standingOf(endpoint), room };
  }

  /** The endpoints with lanes at work that can take no more. */
  full(): string[] {
    return [...this.busy.endpoints.keys()].filter((endpoint) => {
      const { standing, room } = this.of(endpoint);
      return room <= 0 || (standing === 'slow' && this.shares.get(standing)! <= 0);
    });
  }

  private standingOf(endpoint: string): Standing {
    const row = this.rows.get(endpoint);
    if (row && (row.failures > 0 || lanesWait(row))) return 'failing';
    if (this.slow.has(endpoint)) return 'slow';
    return row && row.last_success_at !== null ? 'proven' : 'new';
  }

  private busyOf(rows: readonly BusyRow[]): BusyLanes {
    const endpoints = new Map<string, number>();
    const organizations = new Map<string, number>();
    const here = new Map<string, number>();
    const standings = new Map<Standing, number>();
    for (const { organization, endpoint, total, mine } of rows) {
      add(endpoints, endpoint, Number(total));
      add(organizations, organization, Number(total));
      add(here, organization, Number(mine));
      add(standings, this.standingOf(endpoint), Number(mine));
    }
    return { endpoints, organizations, here, standings };
  }
}

/** Whether its lanes wait, but for one that tries. */
export function lanesWait(row: EndpointRow | undefined): boolean {
  return row !== undefined && (row.probe_at !== null || row.sweep_after !== null);
}

function probeRoom(row: EndpointRow, at: number): number {
  const isDue = row.probe_at !== null && Number(row.probe_at) <= at;
  const isFree = row.probe_until === null || Number(row.probe_until) <= at;
  return isDue && isFree && row.sweep_after === null ? 1 : 0;
}

function add<K>(counts: Map<K, number>, key: K, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
