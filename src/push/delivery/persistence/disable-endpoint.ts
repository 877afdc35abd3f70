import { reasonOfDisabled } from '../domain/dead-causes.js';
import type { IdSource } from '../../../common/ids.js';
import { forUpdate } from '../../../database/rows.js';
import { listOf } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { QUEUED_FROM } from '../domain/endpoint-queue.js';
import { ENDPOINT, lockEndpoints } from '../../receivers/persistence/endpoint-rows.js';
import { endStreams } from './end-streams.js';
import { STREAM } from './delivery-rows.js';
import { disableSubscriptions } from '../../registration/persistence/webhook-revision.js';

const REASON = 'every attempt at its endpoint failed for too long';

/**
 * Disables some webhooks of one endpoint that is to be disabled. Streams before deliveries before webhooks
 * before endpoints, as everywhere. True when there may be more, here or elsewhere.
 */
export function* disableEndpoint(tx: Tx, ids: IdSource, now: Date, limit: number): Work<boolean> {
  const at = now.getTime();
  const [endpoint] = yield* ENDPOINT.all(
    tx,
    'WHERE disable_cursor IS NOT NULL ORDER BY disable_cursor LIMIT 1',
  );
  if (!endpoint) return false;
  const webhooks = yield* tx.all<{ id: string; updated_at: number }>(
    `SELECT id, updated_at FROM push_webhooks
     WHERE endpoint = ? AND id > ? AND scope = 'task' ORDER BY id LIMIT ?`,
    [endpoint.endpoint, endpoint.disableCursor, limit],
  );
  // Webhooks that were set or resumed since stay enabled.
  const since = endpoint.disabledAt ?? 0;
  const webhookIds = webhooks.filter((row) => row.updated_at <= since).map(({ id }) => id);
  if (webhookIds.length > 0 && !(yield* disable(tx, ids, webhookIds, now))) return true;
  const last = webhooks.length === limit ? webhooks.at(-1)!.id : null;
  yield* lockEndpoints(tx, [endpoint.endpoint]);
  yield* tx.run(
    `UPDATE push_endpoints SET disable_cursor = ?, updated_at = ?,
       ready_at = CASE WHEN EXISTS (SELECT 1 FROM push_delivery_streams s WHERE s.endpoint = ?
         AND s.due_at >= ${QUEUED_FROM}) THEN CAST(? AS bigint) ELSE NULL END
     WHERE endpoint = ? AND disable_cursor IS NOT NULL`,
    [last, at, endpoint.endpoint, at, endpoint.endpoint],
  );
  if (last === null) yield* disableSubscriptions(tx, endpoint.endpoint, REASON, since, now);
  return true;
}

/** False when one of their streams is locked: it is left for the next time. */
function* disable(tx: Tx, ids: IdSource, webhookIds: readonly string[], now: Date): Work<boolean> {
  // Each has its one stream under its own id.
  const these = `WHERE id IN ${listOf(webhookIds.length)} AND active = 1`;
  const all = yield* tx.all<{ id: string }>(
    `SELECT id FROM push_delivery_streams ${these}`,
    webhookIds,
  );
  const free = yield* STREAM.all(tx, `${these} ORDER BY id${forUpdate(tx, true)}`, webhookIds);
  if (free.length > 0) {
    yield* endStreams(tx, ids, free, reasonOfDisabled(REASON), now);
    yield* tx.run(
      `UPDATE push_webhooks SET state = 'disabled', state_reason = ?, updated_at = ?
       WHERE id IN ${listOf(free.length)} AND state IN ('active', 'failing')`,
      [REASON, now.getTime(), ...free.map((stream) => stream.id)],
    );
  }
  return free.length === all.length;
}
