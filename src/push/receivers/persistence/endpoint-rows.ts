import { forUpdate } from '../../../database/rows.js';
import { flatten, listOf, pieces } from '../../../database/multi-row.js';
import type { SqlValue, Tx, Work } from '../../../database/sql.js';
import type { Endpoint, EndpointState } from '../endpoint.js';

export interface EndpointRow {
  readonly endpoint: string;
  readonly organization: string;
  readonly state: string;
  readonly failures: number;
  readonly concurrency: number;
  readonly opened_at: number | null;
  readonly probe_at: number | null;
  readonly probe_until: number | null;
  readonly probes: number;
  readonly ready_at: number | null;
  readonly enqueues: number;
  readonly requeue_before: number | null;
  readonly failing_since: number | null;
  readonly disabled_at: number | null;
  readonly disable_cursor: string | null;
  readonly last_success_at: number | null;
  readonly last_failure_at: number | null;
  readonly last_error: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export function toEndpoint(row: EndpointRow): Endpoint {
  return {
    endpoint: row.endpoint,
    organization: row.organization,
    state: row.state as EndpointState,
    failures: row.failures,
    concurrency: row.concurrency,
    openedAt: toNumber(row.opened_at),
    probeAt: toNumber(row.probe_at),
    probes: row.probes,
    failingSince: toNumber(row.failing_since),
    disabledAt: toNumber(row.disabled_at),
    lastSuccessAt: toNumber(row.last_success_at),
    lastFailureAt: toNumber(row.last_failure_at),
    lastError: row.last_error,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

/** The rows of these endpoints, as far as there are any. */
export function* endpointRows(tx: Tx, endpoints: readonly string[]): Work<EndpointRow[]> {
  const found: EndpointRow[] = [];
  for (const piece of pieces(endpoints)) {
    found.push(
      ...(yield* tx.all<EndpointRow>(
        `SELECT * FROM push_endpoints WHERE endpoint IN ${listOf(piece.length)}`,
        piece,
      )),
    );
  }
  return found;
}

/** The same, locked until the transaction ends; in one order, so that two do not wait for each other. */
export function* lockEndpoints(tx: Tx, endpoints: readonly string[]): Work<EndpointRow[]> {
  const found: EndpointRow[] = [];
  // As JavaScript has it, whatever order the database has for text.
  const byBytes = tx.dialect === 'postgres' ? ' COLLATE "C"' : '';
  for (const piece of pieces([...endpoints].sort())) {
    found.push(
      ...(yield* tx.all<EndpointRow>(
        `SELECT * FROM push_endpoints WHERE endpoint IN ${listOf(piece.length)}
         ORDER BY endpoint${byBytes}${forUpdate(tx)}`,
        piece,
      )),
    );
  }
  return found;
}

/**
 * The rows of these delivery streams' endpoints, locked; those that have none get one first. All are inserted before
 * any is locked, in one order, so that two who do the same do not wait for each other.
 */
export function* heldRows(
  tx: Tx,
  streams: readonly { readonly endpoint: string; readonly organization: string }[],
  concurrency: number,
  at: number,
): Work<EndpointRow[]> {
  const names = new Map(streams.map(({ endpoint, organization }) => [endpoint, organization]));
  const known = new Set((yield* endpointRows(tx, [...names.keys()])).map((row) => row.endpoint));
  const missing = [...names].filter(([endpoint]) => !known.has(endpoint)).sort(byName);
  for (const piece of pieces(missing)) {
    const params = flatten(piece, (values, [endpoint, organization]) => {
      values.push(endpoint, organization, concurrency, at, at);
    });
    const rows = Array(piece.length).fill(`(?, ?, 'healthy', 0, ?, 0, 0, ?, ?)`).join(', ');
    yield* tx.run(
      `INSERT INTO push_endpoints (endpoint, organization, state, failures, concurrency, probes, enqueues,
         created_at, updated_at) VALUES ${rows} ON CONFLICT (endpoint) DO NOTHING`,
      params,
    );
  }
  return yield* lockEndpoints(tx, [...names.keys()]);
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : Number(a > b);
}

/** Whoever had the probe of these endpoints did not make it: the next may. */
export function* releaseProbes(
  tx: Tx,
  which: string,
  params: readonly SqlValue[] = [],
): Work<void> {
  yield* tx.run(
    `UPDATE push_endpoints SET probe_until = NULL,
       ready_at = CASE WHEN ready_at IS NULL THEN NULL ELSE probe_at END WHERE ${which}`,
    params,
  );
}

function toNumber(value: number | null): number | null {
  return value === null ? null : Number(value);
}
