import type { Database } from '../../../database/database.js';
import type { WebhookProgress } from '../webhook-store.js';
import { dueTimeOf, QUEUED_FROM } from '../../delivery/domain/endpoint-queue.js';
import type { TaskWebhook } from '../../registration/webhook.js';
import { ATTEMPT, STREAM, type StreamRow } from '../../delivery/persistence/delivery-rows.js';

const NOTHING: WebhookProgress = {
  pending: 0,
  delivered: 0,
  dead: 0,
  entriesBehind: 0,
  lastAttempt: null,
  nextAttemptAt: null,
};

/** See `WebhookStore.progress`. Tests, which have the number 0, do not count as deliveries. */
export async function readProgress(
  database: Database,
  { streamId }: TaskWebhook,
): Promise<WebhookProgress> {
  const [stream] = await STREAM.list(database, 'WHERE id = ?', [streamId]);
  if (!stream) return NOTHING;
  const counts = await database.read<{ state: string; total: number }>(
    `SELECT state, COUNT(*) AS total FROM push_deliveries WHERE stream_id = ? AND number > 0
     GROUP BY state`,
    [stream.id],
  );
  const [last = null] = await ATTEMPT.list(
    database,
    `WHERE delivery_id IN
       (SELECT id FROM push_deliveries WHERE stream_id = ? AND attempts > 0)
     ORDER BY at DESC, number DESC LIMIT 1`,
    [stream.id],
  );
  const of = (state: string): number => counts.find((each) => each.state === state)?.total ?? 0;
  return {
    pending: stream.open,
    delivered: of('delivered'),
    dead: of('dead'),
    // What a disabled one was behind with is a dead letter.
    entriesBehind: stream.active === 0 ? 0 : Math.max(0, stream.headSeq - stream.nextSeq + 1),
    lastAttempt: last,
    nextAttemptAt: await nextAttemptAt(database, stream),
  };
}

/** A delivery stream in the queue of its endpoint waits for that to answer: the next probe is its next chance. */
async function nextAttemptAt(database: Database, stream: StreamRow): Promise<Date | null> {
  if (stream.dueAt === null) return null;
  const due = stream.dueAt;
  if (due < QUEUED_FROM) return new Date(due);
  const [endpoint] = await database.read<{ probe_at: number | null }>(
    'SELECT probe_at FROM push_endpoints WHERE endpoint = ?',
    [stream.endpoint],
  );
  return new Date(endpoint?.probe_at ?? dueTimeOf(due));
}
