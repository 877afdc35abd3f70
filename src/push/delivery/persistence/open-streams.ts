import { listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { subscriptionConfigId } from '../../registration/domain/config-id.js';
import { insertSnapshot } from './insert-snapshot.js';
import { insertStreams } from './insert-streams.js';
import type { NewSubscriptionStream } from '../subscription-stream-store.js';
import type { StreamSources } from './task-stream.js';

/** With the id its row gets. */
type Attachment = NewSubscriptionStream & { readonly streamId: string };

/** See `SubscriptionStreamStore.open`. The tasks are locked by the append, so nothing is added to them. */
export function* openStreams(
  tx: Tx,
  streams: readonly NewSubscriptionStream[],
  { ids, tasks }: StreamSources,
  now: Date,
): Work<number> {
  const wanted = (yield* withoutKnown(tx, streams)).map((each): Attachment => ({
    streamId: ids.next(),
    ...each,
  }));
  const every = wanted.filter(({ subscription }) => subscription.events === 'all');
  yield* tasks.wantEveryEvent(
    tx,
    every.map(({ taskId }) => taskId),
  );
  // Streams before deliveries, as everywhere.
  yield* insertStreams(
    tx,
    wanted.map(({ streamId: id, subscription: webhook, taskId, traceparent, seq, begins }) => ({
      id,
      webhook,
      taskId,
      traceparent,
      nextSeq: begins === 'start' ? 1 : seq + 1,
      seq,
      hasSnapshot: begins === 'present-state',
      isDue: begins !== 'next',
    })),
    now,
  );
  for (const each of wanted) {
    if (each.begins !== 'present-state') continue;
    const { taskId, streamId, seq, subscription } = each;
    const { id, endpoint, organization, principalId } = subscription;
    const configId = subscriptionConfigId(id);
    const owner = { streamId, taskId, configId, endpoint, organization, principalId };
    yield* insertSnapshot(tx, ids.next(), owner, seq, 1, now);
  }
  return wanted.length;
}

/** Those whose task does not have the subscription's stream yet; a task that begins has none. */
function* withoutKnown(
  tx: Tx,
  streams: readonly NewSubscriptionStream[],
): Work<readonly NewSubscriptionStream[]> {
  const older = streams.filter(({ begins }) => begins !== 'start');
  if (older.length === 0) return streams;
  const known = new Set<string>();
  const key = (taskId: string, webhook: string): string => `${taskId} ${webhook}`;
  for (const piece of pieces([...new Set(older.map(({ taskId }) => taskId))])) {
    const rows = yield* tx.all<{ task_id: string; webhook_uid: string }>(
      `SELECT task_id, webhook_uid FROM push_delivery_streams WHERE task_id IN ${listOf(piece.length)}`,
      piece,
    );
    for (const row of rows) known.add(key(row.task_id, row.webhook_uid));
  }
  return streams.filter(
    ({ begins, taskId, subscription }) =>
      begins === 'start' || !known.has(key(taskId, subscription.id)),
  );
}
