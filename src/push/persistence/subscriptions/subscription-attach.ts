import { flatten, listOf, pieces, rowsOf } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import { subscriptionConfigId } from '../../domain/config-id.js';
import { hearEveryEvent } from '../configs/webhook-writes.js';
import { insertSnapshot } from '../deliveries/insert-snapshot.js';
import type { NewSubscriptionLane } from '../../subscriptions/subscription-store.js';

/** With the ids its rows get. */
type Attachment = NewSubscriptionLane & { readonly uid: string; readonly laneId: string };

/** See `SubscriptionStore.attach`. The tasks are locked by the append, so nobody else adds to them. */
export function* attachLanes(
  tx: Tx,
  lanes: readonly NewSubscriptionLane[],
  nextId: () => string,
  now: Date,
): Work<number> {
  const at = now.getTime();
  const wanted = (yield* withoutKnown(tx, lanes)).map((each): Attachment => ({
    ...each,
    uid: nextId(),
    laneId: nextId(),
  }));
  const every = wanted.filter(({ subscription }) => subscription.events === 'all');
  yield* hearEveryEvent(
    tx,
    every.map(({ taskId }) => taskId),
  );
  // Lanes before deliveries before configs, as everywhere.
  yield* insertLanes(tx, wanted, at);
  for (const each of wanted) {
    if (each.begins !== 'present-state') continue;
    const { uid, taskId, laneId, seq, subscription } = each;
    const { id, endpoint, organization, principalId } = subscription;
    const configId = subscriptionConfigId(id);
    const told = { uid, taskId, configId, endpoint, organization, principalId };
    yield* insertSnapshot(tx, nextId(), laneId, told, seq, 1, now);
  }
  yield* insertConfigs(tx, wanted, at);
  return wanted.length;
}

/** Those whose task does not have the subscription's lane yet; a task that begins has none. */
function* withoutKnown(
  tx: Tx,
  lanes: readonly NewSubscriptionLane[],
): Work<readonly NewSubscriptionLane[]> {
  const older = lanes.filter(({ begins }) => begins !== 'start');
  if (older.length === 0) return lanes;
  const known = new Set<string>();
  const key = (taskId: string, subscriptionId: string): string => `${taskId} ${subscriptionId}`;
  for (const piece of pieces([...new Set(older.map(({ taskId }) => taskId))])) {
    const rows = yield* tx.all<{ task_id: string; subscription_id: string }>(
      `SELECT task_id, subscription_id FROM push_configs
       WHERE task_id IN ${listOf(piece.length)} AND subscription_id IS NOT NULL`,
      piece,
    );
    for (const row of rows) known.add(key(row.task_id, row.subscription_id));
  }
  return lanes.filter(
    ({ begins, taskId, subscription }) =>
      begins === 'start' || !known.has(key(taskId, subscription.id)),
  );
}

function* insertLanes(tx: Tx, lanes: readonly Attachment[], at: number): Work<void> {
  for (const piece of pieces(lanes)) {
    yield* tx.run(
      `INSERT INTO push_lanes (id, task_id, config_uid, organization, endpoint, active, every_event,
         next_seq, head_seq, open, last_number, due_at, epoch, created_at, updated_at)
       VALUES ${rowsOf(piece.length, 15)}`,
      flatten(piece, (params, { laneId, taskId, uid, subscription, seq, begins }) => {
        const snapshots = begins === 'present-state' ? 1 : 0;
        params.push(laneId, taskId, uid, subscription.organization, subscription.endpoint);
        // Active whatever the subscription is: who claims it sees what that is now.
        params.push(1, subscription.events === 'all' ? 1 : 0);
        params.push(begins === 'start' ? 1 : seq + 1, seq, snapshots, snapshots);
        params.push(begins === 'next' ? null : at, 0, at, at);
      }),
    );
  }
}

/** What can change is the subscription's; the secrets are nowhere but there. */
function* insertConfigs(tx: Tx, lanes: readonly Attachment[], at: number): Work<void> {
  for (const piece of pieces(lanes)) {
    yield* tx.run(
      `INSERT INTO push_configs (uid, task_id, config_id, principal_id, organization, url, endpoint,
         version, auth_scheme, auth_names, events, subscription_id, fingerprint, verified,
         traceparent, state, created_at, updated_at)
       VALUES ${rowsOf(piece.length, 18)}`,
      flatten(piece, (params, { uid, taskId, traceparent, subscription: of }) => {
        params.push(
          uid,
          taskId,
          subscriptionConfigId(of.id),
          of.principalId,
          of.organization,
          of.url,
          of.endpoint,
        );
        params.push(of.version, of.authScheme, JSON.stringify(of.authNames), of.events, of.id);
        params.push(of.fingerprint, of.verified ? 1 : 0, storable(traceparent), 'active', at, at);
      }),
    );
  }
}
