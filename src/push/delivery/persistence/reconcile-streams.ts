import type { PrincipalHolds } from '../../../auth/index.js';
import type { IdSource } from '../../../common/ids.js';
import { forUpdate } from '../../../database/rows.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { TaskPositions } from '../../../tasks/index.js';
import { SUBSCRIPTION_DELETED } from '../domain/dead-causes.js';
import { rescheduleStreams } from './reschedule-streams.js';
import type { StreamSources } from './task-stream.js';
import {
  type TaskWebhook,
  type Webhook,
  isSubscription,
  senderOf,
  sendersOf,
} from '../../registration/webhook.js';
import { STREAM, type StreamRow } from './delivery-rows.js';
import { endStreams, deleteStreams } from './end-streams.js';
import {
  DELETED,
  WEBHOOK,
  toTaskWebhook,
  webhooksById,
} from '../../registration/persistence/webhook-rows.js';

const DISABLED = 'the subscription is disabled';

/** A subscription as streams find it; undefined when it is deleted. */
type Found = Webhook | undefined;

/** What a claim gives. */
export interface Claiming {
  readonly ids: IdSource;
  readonly now: Date;
  readonly holds: PrincipalHolds;
}

/**
 * The webhooks, by the streams' ids, of the claimed streams that may deliver. Streams of a subscription that is
 * paused, disabled, deleted or outOfSync now, and those that are held back because of their principal,
 * are reconciled and have none. In the transaction of the claim, which has just written
 * `streams`.
 */
export function* deliverableWebhooks(
  tx: Tx,
  { ids: newIds, now, holds }: Claiming,
  streams: readonly StreamRow[],
): Work<Map<string, TaskWebhook>> {
  const webhooks = yield* webhooksOf(tx, streams);
  // Read last, and true until the commit: what a principal loses after it was disabled is not given.
  const found = [...webhooks.values()].filter((of) => of !== undefined);
  const holdOf = yield* holds.heldIn(tx, sendersOf(found), now);
  const deliverable = new Map<string, TaskWebhook>();
  const outOfSync = new Map<string, StreamRow[]>();
  const held: string[] = [];
  for (const stream of streams) {
    const { id, webhookUid } = stream;
    const of = webhooks.get(webhookUid);
    if (!webhooks.has(webhookUid)) continue;
    const noteOutOfSync = (): unknown =>
      outOfSync.set(webhookUid, [...(outOfSync.get(webhookUid) ?? []), stream]);
    if (of === undefined) noteOutOfSync();
    else if (isSubscription(of) && !isActive(of)) noteOutOfSync();
    else if (holdOf(senderOf(of), of) !== null) {
      held.push(id);
    } else if (isSubscription(of) && of.endpoint !== stream.endpoint) noteOutOfSync();
    else deliverable.set(id, toTaskWebhook(stream, of));
  }
  for (const [webhookUid, theirs] of outOfSync) {
    yield* reconcile(tx, newIds, webhooks.get(webhookUid), theirs, now, true);
  }
  yield* pauseStreams(tx, held, now, true);
  return deliverable;
}

/** By id; subscriptions, which stay as they are until the transaction ends, are undefined when deleted. */
function* webhooksOf(tx: Tx, streams: readonly StreamRow[]): Work<ReadonlyMap<string, Found>> {
  const uids = streams.map((stream) => stream.webhookUid);
  const found = new Map<string, Found>(yield* webhooksById(tx, uids));
  const shared = streams.filter(isOfSubscription).map((stream) => stream.webhookUid);
  if (shared.length === 0) return found;
  const live = yield* liveSubscriptions(tx, [...new Set(shared)], true);
  for (const id of shared) found.set(id, live.get(id));
  return found;
}

/**
 * Brings these streams of a subscription in line with it. Tasks before streams, as appends have it: an event
 * that comes meanwhile is in the task's seq, or finds the stream as it is afterwards. All in one step, and
 * alone in its transaction: a transaction that holds the subscription waits for no task and no stream.
 */
export function* reconcileStreams(
  tx: Tx,
  { ids: newIds, tasks }: StreamSources,
  subscriptionId: string,
  streamIds: readonly string[],
  now: Date,
): Work<void> {
  // What it is until it is locked; when that has changed by then, its streams are gone through again.
  const expected = (yield* liveSubscriptions(tx, [subscriptionId], false)).get(subscriptionId);
  const found = (yield* streamsOf(tx, streamIds)).filter((stream) => isOutOfSync(expected, stream));
  const stale = found.filter((stream) => isStale(expected, stream)).map((stream) => stream.taskId);
  const seqs = yield* tasks.lockSeqs(tx, stale);
  const streams = yield* streamsOf(
    tx,
    found.map(({ id }) => id),
    forUpdate(tx),
  );
  const of = (yield* liveSubscriptions(tx, [subscriptionId], true)).get(subscriptionId);
  if (of !== undefined) yield* refreshStale(tx, tasks, of, streams, seqs);
  const outOfSync = streams.filter((stream) => isOutOfSync(of, stream));
  yield* reconcile(tx, newIds, of, outOfSync, now);
}

function isActive({ state }: Webhook): boolean {
  return state === 'active' || state === 'failing';
}

/** Whether the stream is not as the subscription says. An idle one is looked at again when it is claimed. */
function isOutOfSync(of: Found, stream: StreamRow): boolean {
  if (of === undefined) return true;
  if (!isActive(of))
    return of.state === 'paused'
      ? stream.active === 1 && stream.dueAt !== null
      : stream.active !== 0;
  const { active, endpoint, dueAt, everyEvent } = stream;
  return active !== 1 || endpoint !== of.endpoint || dueAt !== null || everyEvent !== wantsAll(of);
}

/** The stream has missed events, or would. */
function isStale(of: Found, { active, everyEvent }: StreamRow): boolean {
  return of !== undefined && isActive(of) && (active === 0 || everyEvent !== wantsAll(of));
}

function wantsAll({ events }: Webhook): boolean {
  return events === 'all';
}

/** Brings streams that missed events up to the end of their logs, and subscribes them to what they want. */
function* refreshStale(
  tx: Tx,
  tasks: TaskPositions,
  of: Webhook,
  streams: readonly StreamRow[],
  seqs: ReadonlyMap<string, number>,
): Work<void> {
  const stale = streams.filter((stream) => isStale(of, stream) && seqs.has(stream.taskId));
  const every = wantsAll(of);
  for (const { id, taskId, headSeq: head } of stale) {
    yield* tx.run('UPDATE push_delivery_streams SET head_seq = ?, every_event = ? WHERE id = ?', [
      Math.max(head, seqs.get(taskId) ?? 0),
      every ? 1 : 0,
      id,
    ]);
    if (every) yield* tasks.wantEveryEvent(tx, [taskId]);
  }
}

/**
 * Reconciles locked streams with their subscription; claims of them are over.
 * `claimed`: they were claimed just now, in this transaction.
 */
function* reconcile(
  tx: Tx,
  newIds: IdSource,
  of: Found,
  streams: readonly StreamRow[],
  now: Date,
  claimed = false,
): Work<void> {
  if (of === undefined) return yield* deleteStreams(tx, newIds, streams, SUBSCRIPTION_DELETED, now);
  if (of.state === 'disabled') return yield* endStreams(tx, newIds, streams, DISABLED, now);
  const ids = streams.map(({ id }) => id);
  if (of.state === 'paused') return yield* pauseStreams(tx, ids, now, claimed);
  yield* rescheduleStreams(
    tx,
    ids,
    now,
    {
      active: 1,
      endpoint: of.endpoint,
      state: 'active',
      state_reason: null,
      failing_since: null,
    },
    { endpoint: of.endpoint },
  );
}

/** Pauses streams: they deliver nothing; events gather. */
function* pauseStreams(tx: Tx, ids: readonly string[], now: Date, claimed: boolean): Work<void> {
  // An attempt under way is recorded as it ends; its stream is then idle.
  const free = claimed ? 'owner = NULL, lease_until = NULL,' : '';
  for (const piece of pieces(ids)) {
    yield* tx.run(
      `UPDATE push_delivery_streams SET active = 2, due_at = NULL, ${free} updated_at = ?
       WHERE id IN ${listOf(piece.length)}`,
      [now.getTime(), ...piece],
    );
  }
}

/**
 * The live ones of these; with `shared` they cannot change until the transaction ends. Locked after tasks
 * and streams; what comes behind is the deliveries of streams that are held.
 */
function* liveSubscriptions(
  tx: Tx,
  ids: readonly string[],
  shared: boolean,
): Work<ReadonlyMap<string, Webhook>> {
  const found = new Map<string, Webhook>();
  for (const piece of pieces([...ids].sort())) {
    const rows = yield* WEBHOOK.all(
      tx,
      `WHERE id IN ${listOf(piece.length)} AND state <> '${DELETED}'
       ORDER BY id${shared && tx.dialect === 'postgres' ? ' FOR SHARE' : ''}`,
      piece,
    );
    for (const webhook of rows) found.set(webhook.id, webhook);
  }
  return found;
}

/** With `lock` they are locked, in the order of their ids. */
function* streamsOf(tx: Tx, ids: readonly string[], lock = ''): Work<StreamRow[]> {
  const streams: StreamRow[] = [];
  for (const piece of pieces([...ids].sort())) {
    const rows = yield* STREAM.all(
      tx,
      `WHERE id IN ${listOf(piece.length)} ORDER BY id${lock}`,
      piece,
    );
    streams.push(...rows);
  }
  return streams;
}

/** A webhook of one task has the id of its stream. */
function isOfSubscription({ id, webhookUid }: StreamRow): boolean {
  return webhookUid !== id;
}
