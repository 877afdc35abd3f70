import { forUpdate } from '../../../database/rows.js';
import { flatten, listOf, pieces } from '../../../database/multi-row.js';
import type { SqlValue, Tx, Work } from '../../../database/sql.js';
import { Table } from '../../../database/table.js';
import { type EndpointRules, SUCCESS_GRAIN_MS } from '../domain/endpoint-health.js';
import { PushEndpointEntity } from './endpoint.entity.js';

const ENDPOINTS = new Table(PushEndpointEntity);
export const ENDPOINT = ENDPOINTS.select();
export type EndpointRow = ReturnType<typeof ENDPOINT.read>;

/** What says how much an endpoint may have at once. */
const CAPACITY = ENDPOINTS.select(
  'endpoint',
  'failures',
  'concurrency',
  'probeAt',
  'probeUntil',
  'disableCursor',
  'lastSuccessAt',
);
export type CapacityRow = ReturnType<typeof CAPACITY.read>;

/**
 * As SQL, given {@link nothingNew}: a success changes nothing that is worth keeping of the endpoint. It is what
 * `afterOutcome` says of one that has been well for long.
 */
export const NOTHING_NEW = `state = 'healthy' AND failures = 0 AND failing_since IS NULL
  AND opened_at IS NULL AND probe_at IS NULL AND concurrency = ?
  AND last_success_at > ? AND last_success_at < ?
  AND (last_failure_at IS NULL OR last_failure_at <= last_success_at)`;

/** The parameters of {@link NOTHING_NEW}. */
export function nothingNew({ maxConcurrency }: EndpointRules, at: number): SqlValue[] {
  return [maxConcurrency, at - SUCCESS_GRAIN_MS, at + SUCCESS_GRAIN_MS];
}

/** What the rows of these endpoints say of that, as far as there are any. */
export function* capacityRows(tx: Tx, endpoints: readonly string[]): Work<CapacityRow[]> {
  const found: CapacityRow[] = [];
  for (const piece of pieces(endpoints)) {
    found.push(...(yield* CAPACITY.all(tx, `WHERE endpoint IN ${listOf(piece.length)}`, piece)));
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
      ...(yield* ENDPOINT.all(
        tx,
        `WHERE endpoint IN ${listOf(piece.length)}
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
export function* lockedRows(
  tx: Tx,
  streams: readonly { readonly endpoint: string; readonly organization: string }[],
  concurrency: number,
  at: number,
): Work<EndpointRow[]> {
  const names = new Map(streams.map(({ endpoint, organization }) => [endpoint, organization]));
  const known = new Set((yield* capacityRows(tx, [...names.keys()])).map((row) => row.endpoint));
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

/**
 * Somebody asks for what these endpoints did not take: one that is left alone for its failures is tried at once, by one
 * stream. Not if one tries it already, or has since `at`, nor while it asked to wait without having failed.
 */
export function* probeAtOnce(tx: Tx, endpoints: readonly string[], at: number): Work<void> {
  for (const endpoint of [...new Set(endpoints)].sort()) {
    yield* tx.run(
      `UPDATE push_endpoints SET probe_at = ?,
         ready_at = CASE WHEN ready_at IS NULL THEN NULL ELSE CAST(? AS bigint) END
       WHERE endpoint = ? AND probe_at > ? AND failures > 0 AND state <> 'disabled'
         AND (probe_until IS NULL OR probe_until <= ?)
         AND (last_failure_at IS NULL OR last_failure_at < ?)`,
      [at, at, endpoint, at, at, at],
    );
  }
}
