import { forUpdate } from '../../../database/rows.js';
import type { SqlValue, Tx, Work } from '../../../database/sql.js';
import type { Webhook, WebhookChange } from '../../registration/webhook.js';
import { forgetLanes } from '../../delivery/persistence/end-streams.js';
import type { LaneRow } from '../../delivery/persistence/delivery-rows.js';
import {
  type StreamSources,
  goOn,
  lockLane,
  resumeLane,
} from '../../delivery/persistence/task-stream.js';
import { raiseRevision } from '../../registration/persistence/webhook-revision.js';
import {
  DELETED,
  type WebhookRow,
  toWebhook,
  updateWebhook,
} from '../../registration/persistence/webhook-rows.js';

/** Why deliveries of a webhook that is gone are dead letters. */
const REMOVED = 'the webhook was deleted';

/** The condition by which one webhook is found. */
interface Key {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** A webhook that nobody else changes; one of a single task with its lane and the newest entry of its log. */
interface Held {
  readonly webhook: Webhook;
  readonly own: { readonly lane: LaneRow; readonly seq: number } | null;
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
  if (own === null) {
    yield* updateWebhook(tx, next);
    // Resumed, it takes up those of its tasks, too, that were given up by themselves.
    if (change.state !== undefined || differsForLanes(present, next)) {
      yield* tx.run('UPDATE push_webhooks SET unsettled = ? WHERE uid = ?', [revision, next.id]);
    }
    return next;
  }
  const { lane, seq } = own;
  const isResumed = change.state === 'active';
  if (isResumed && present.state === 'active' && lane.active === 1) return present;
  yield* updateWebhook(tx, next);
  if (next.events === 'all') yield* sources.tasks.wantEveryEvent(tx, [lane.task_id]);
  if (isResumed) yield* resumeLane(tx, sources.ids, lane, next, seq, now);
  else if (change.state === 'paused') yield* pauseLane(tx, lane.id, now);
  else if (lane.active !== 0) yield* goOn(tx, lane.id, next, now);
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
    yield* forgetLanes(tx, sources.ids, [own.lane], REMOVED, now);
    return true;
  }
  yield* tx.run(
    `UPDATE push_webhooks SET state = '${DELETED}', unsettled = ?, updated_at = ?,
       auth_scheme = NULL, auth_profile = NULL, sealed_credentials = NULL, sealed_token = NULL,
       sealed_signing_keys = NULL WHERE uid = ?`,
    [revision, now.getTime(), webhook.id],
  );
  return true;
}

/** Locks what a change has to hold: a task and its lane, or the revision and the subscription. */
function* hold(tx: Tx, sources: StreamSources, { sql, params }: Key): Work<Held | undefined> {
  const query = `SELECT * FROM push_webhooks WHERE ${sql} AND state <> '${DELETED}'`;
  const [found] = yield* tx.all<WebhookRow>(query, params);
  if (found === undefined) return undefined;
  if (found.task_id === null) {
    const revision = yield* raiseRevision(tx);
    const [row] = yield* tx.all<WebhookRow>(`${query}${forUpdate(tx)}`, params);
    return row && { webhook: toWebhook(row), own: null, revision };
  }
  const seq = yield* sources.tasks.lockSeq(tx, found.task_id);
  const lane = yield* lockLane(tx, found.uid);
  // As it is now that nobody else can change it: a handover locks the webhook alone.
  const [row] = yield* tx.all<WebhookRow>(`${query}${forUpdate(tx)}`, params);
  return row && lane && { webhook: toWebhook(row), own: { lane, seq }, revision: 0 };
}

/** An attempt under way ends as it ends; events gather. */
function* pauseLane(tx: Tx, id: string, now: Date): Work<void> {
  yield* tx.run('UPDATE push_lanes SET active = 2, due_at = NULL, updated_at = ? WHERE id = ?', [
    now.getTime(),
    id,
  ]);
}

/** What lanes must be brought in line with: where and how they are told, what, and whether. */
function differsForLanes(a: Webhook, b: Webhook): boolean {
  return (
    a.fingerprint !== b.fingerprint ||
    a.endpoint !== b.endpoint ||
    a.events !== b.events ||
    a.state !== b.state
  );
}
