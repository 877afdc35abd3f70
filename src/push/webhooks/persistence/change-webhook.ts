import { forUpdate } from '../../../database/rows.js';
import type { SqlValue, Tx, Work } from '../../../database/sql.js';
import type { Webhook, WebhookChange } from '../../registration/webhook.js';
import { deleteStreams } from '../../delivery/persistence/end-streams.js';
import { WEBHOOK_DELETED } from '../../delivery/domain/dead-causes.js';
import type { StreamRow } from '../../delivery/persistence/delivery-rows.js';
import {
  type StreamSources,
  rescheduleStream,
  lockStream,
  resumeStream,
} from '../../delivery/persistence/task-stream.js';
import { probeAtOnce } from '../../receivers/persistence/endpoint-rows.js';
import { REVISION } from '../../registration/persistence/webhook-revision.js';
import { DELETED, WEBHOOK, updateWebhook } from '../../registration/persistence/webhook-rows.js';

/** The condition by which one webhook is found. */
interface Key {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** A locked webhook; one of a single task with its delivery stream and the newest entry of its log. */
interface Held {
  readonly webhook: Webhook;
  readonly own: { readonly stream: StreamRow; readonly seq: number } | null;
  /** That of a change of subscriptions. */
  readonly revision: number;
}

/** See `WebhookStore.update`. */
export function* changeWebhook(
  tx: Tx,
  sources: StreamSources,
  key: Key,
  decide: (present: Webhook) => WebhookChange | null,
  now: Date,
): Work<Webhook | undefined> {
  const held = yield* hold(tx, sources, key);
  if (held === undefined) return undefined;
  const { webhook: present, own, revision } = held;
  const change = decide(present);
  if (change === null) return present;
  const next: Webhook = { ...present, ...change, updatedAt: now };
  const isResumed = change.state === 'active';
  if (own === null) {
    yield* updateWebhook(tx, next);
    // Resumed, it takes up those of its tasks, too, that were given up by themselves.
    if (change.state !== undefined || differsForStreams(present, next)) {
      yield* tx.run('UPDATE push_webhooks SET reconcile_revision = ? WHERE id = ?', [
        revision,
        next.id,
      ]);
    }
    if (isResumed) yield* probeAtOnce(tx, [next.endpoint], now.getTime());
    return next;
  }
  const { stream, seq } = own;
  if (isResumed && present.state === 'active' && stream.active === 1) return present;
  yield* updateWebhook(tx, next);
  if (next.events === 'all') yield* sources.tasks.wantEveryEvent(tx, [stream.taskId]);
  if (isResumed) {
    yield* resumeStream(tx, sources.ids, stream, next, seq, now);
    yield* probeAtOnce(tx, [next.endpoint], now.getTime());
  } else if (change.state === 'paused') yield* pauseStream(tx, stream.id, now);
  else if (stream.active !== 0) yield* rescheduleStream(tx, stream.id, next, now);
  return next;
}

/** See `WebhookStore.remove`. */
export function* removeWebhook(
  tx: Tx,
  sources: StreamSources,
  key: Key,
  allowed: (present: Webhook) => void,
  now: Date,
): Work<boolean> {
  const held = yield* hold(tx, sources, key);
  if (held === undefined) return false;
  const { webhook, own, revision } = held;
  allowed(webhook);
  if (own !== null) {
    yield* deleteStreams(tx, sources.ids, [own.stream], WEBHOOK_DELETED, now);
    return true;
  }
  yield* tx.run(
    `UPDATE push_webhooks SET state = '${DELETED}', reconcile_revision = ?, updated_at = ?,
       auth_scheme = NULL, auth_profile = NULL, sealed_credentials = NULL, sealed_token = NULL,
       sealed_signing_keys = NULL WHERE id = ?`,
    [revision, now.getTime(), webhook.id],
  );
  return true;
}

/** Locks what a change has to hold: a task and its delivery stream, or the revision and the subscription. */
function* hold(tx: Tx, sources: StreamSources, { sql, params }: Key): Work<Held | undefined> {
  const query = `WHERE ${sql} AND state <> '${DELETED}'`;
  const [found] = yield* WEBHOOK.all(tx, query, params);
  if (found === undefined) return undefined;
  if (found.taskId === null) {
    const revision = yield* REVISION.raise(tx);
    const [webhook] = yield* WEBHOOK.all(tx, `${query}${forUpdate(tx)}`, params);
    return webhook && { webhook, own: null, revision };
  }
  const { seq } = yield* sources.tasks.lock(tx, found.taskId);
  const stream = yield* lockStream(tx, found.id);
  // Read again now that it is locked: a handover locks the webhook alone.
  const [webhook] = yield* WEBHOOK.all(tx, `${query}${forUpdate(tx)}`, params);
  return webhook && stream && { webhook, own: { stream, seq }, revision: 0 };
}

/** An attempt under way ends as it ends; events gather. */
function* pauseStream(tx: Tx, id: string, now: Date): Work<void> {
  yield* tx.run(
    'UPDATE push_delivery_streams SET active = 2, due_at = NULL, updated_at = ? WHERE id = ?',
    [now.getTime(), id],
  );
}

/** What delivery streams must be brought in line with: where and how they deliver, what, and whether. */
function differsForStreams(a: Webhook, b: Webhook): boolean {
  return (
    a.fingerprint !== b.fingerprint ||
    a.endpoint !== b.endpoint ||
    a.events !== b.events ||
    a.state !== b.state
  );
}
