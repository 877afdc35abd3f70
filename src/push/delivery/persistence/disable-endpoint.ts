import type { IdSource } from '../../../common/ids.js';
import { forUpdate } from '../../../database/rows.js';
import { listOf } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { QUEUED_FROM } from '../domain/endpoint-queue.js';
import { type EndpointRow, lockEndpoints } from '../../receivers/persistence/endpoint-rows.js';
import { endLanes } from './end-streams.js';
import type { LaneRow } from './delivery-rows.js';
import { disableSubscriptions } from '../../registration/persistence/webhook-revision.js';

const REASON = 'every attempt at its endpoint failed for too long';

/**
 * Disables some webhooks of one endpoint that is to be disabled. Lanes before deliveries before webhooks
 * before endpoints, as everywhere. True when there may be more, here or elsewhere.
 */
export function* sweepEndpoint(tx: Tx, ids: IdSource, now: Date, limit: number): Work<boolean> {
  const at = now.getTime();
  const [endpoint] = yield* tx.all<EndpointRow>(
    'SELECT * FROM push_endpoints WHERE sweep_after IS NOT NULL ORDER BY sweep_after LIMIT 1',
  );
  if (!endpoint) return false;
  const webhooks = yield* tx.all<{ uid: string; updated_at: number }>(
    `SELECT uid, updated_at FROM push_webhooks
     WHERE endpoint = ? AND uid > ? AND scope = 'task' ORDER BY uid LIMIT ?`,
    [endpoint.endpoint, endpoint.sweep_after, limit],
  );
  // Who was set or resumed since is to live.
  const since = Number(endpoint.disabled_at);
  const uids = webhooks.filter((row) => Number(row.updated_at) <= since).map(({ uid }) => uid);
  if (uids.length > 0 && !(yield* disable(tx, ids, uids, now))) return true;
  const last = webhooks.length === limit ? webhooks.at(-1)!.uid : null;
  yield* lockEndpoints(tx, [endpoint.endpoint]);
  yield* tx.run(
    `UPDATE push_endpoints SET sweep_after = ?, updated_at = ?,
       ready_at = CASE WHEN EXISTS (SELECT 1 FROM push_lanes l WHERE l.endpoint = ?
         AND l.due_at >= ${QUEUED_FROM}) THEN CAST(? AS bigint) ELSE NULL END
     WHERE endpoint = ? AND sweep_after IS NOT NULL`,
    [last, at, endpoint.endpoint, at, endpoint.endpoint],
  );
  if (last === null) yield* disableSubscriptions(tx, endpoint.endpoint, REASON, since, now);
  return true;
}

/** False when somebody works on one of their lanes: it is left for the next time. */
function* disable(tx: Tx, ids: IdSource, uids: readonly string[], now: Date): Work<boolean> {
  // Each has its one lane under its own id.
  const these = `push_lanes l WHERE l.id IN ${listOf(uids.length)} AND l.active = 1`;
  const all = yield* tx.all<{ id: string }>(`SELECT l.id FROM ${these}`, uids);
  const free = yield* tx.all<LaneRow>(
    `SELECT l.* FROM ${these} ORDER BY l.id${forUpdate(tx, true, 'l')}`,
    uids,
  );
  if (free.length > 0) {
    yield* endLanes(tx, ids, free, `the webhook is disabled: ${REASON}`, now);
    yield* tx.run(
      `UPDATE push_webhooks SET state = 'disabled', state_reason = ?, updated_at = ?
       WHERE uid IN ${listOf(free.length)} AND state IN ('active', 'failing')`,
      [REASON, now.getTime(), ...free.map((lane) => lane.id)],
    );
  }
  return free.length === all.length;
}
