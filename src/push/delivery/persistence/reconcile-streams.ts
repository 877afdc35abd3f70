import type { PrincipalHolds } from '../../../auth/index.js';
import type { IdSource } from '../../../common/ids.js';
import { forUpdate } from '../../../database/rows.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { TaskPositions } from '../../../tasks/index.js';
import type { StreamSources } from './task-stream.js';
import {
  type SubscriptionScope,
  type TaskWebhook,
  type Webhook,
  isSubscription,
} from '../../registration/webhook.js';
import type { LaneRow } from './delivery-rows.js';
import { endLanes, forgetLanes } from './end-streams.js';
import {
  DELETED,
  type WebhookRow,
  toTaskWebhook,
  toWebhook,
} from '../../registration/persistence/webhook-rows.js';

const DISABLED = 'the subscription is disabled';
const GONE = 'the subscription was deleted';

/** A subscription as lanes find it; undefined when it is deleted. */
type Found = Webhook | undefined;

/** What the claim gives that asks. */
export interface Claiming {
  readonly ids: IdSource;
  readonly now: Date;
  readonly holds: PrincipalHolds;
}

/**
 * The webhooks, by the lanes' ids, of the claimed lanes that may be told. Lanes of a subscription that is
 * paused, disabled, deleted or elsewhere now, and those that are held back because of their principal,
 * are put where they belong and have none. In the transaction of the claim, which has just written
 * `lanes`.
 */
export function* tellableWebhooks(
  tx: Tx,
  { ids: newIds, now, holds }: Claiming,
  lanes: readonly LaneRow[],
): Work<Map<string, TaskWebhook>> {
  const webhooks = yield* webhooksOf(tx, lanes);
  // Read last, and true until the commit: what a principal loses after it was disabled is not given.
  const owners = [...webhooks.values()].flatMap((of) => (of === undefined ? [] : [senderOf(of)]));
  const holdOf = yield* holds.heldIn(tx, owners, now);
  const tellable = new Map<string, TaskWebhook>();
  const elsewhere = new Map<string, LaneRow[]>();
  const held: string[] = [];
  for (const lane of lanes) {
    const { id, webhook_uid: uid } = lane;
    const of = webhooks.get(uid);
    if (!webhooks.has(uid)) continue;
    const isElsewhere = (): unknown => elsewhere.set(uid, [...(elsewhere.get(uid) ?? []), lane]);
    if (of === undefined) isElsewhere();
    else if (isSubscription(of) && !isTold(of)) isElsewhere();
    else if (holdOf(senderOf(of), { kind: kindOf(of), organization: of.organization }) !== null) {
      held.push(id);
    } else if (isSubscription(of) && of.endpoint !== lane.endpoint) isElsewhere();
    else tellable.set(id, toTaskWebhook(lane, of));
  }
  for (const [uid, theirs] of elsewhere) {
    yield* place(tx, newIds, webhooks.get(uid), theirs, now, true);
  }
  yield* park(tx, held, now, true);
  return tellable;
}

/** By id; subscriptions, which stay as they are until the transaction ends, are undefined when deleted. */
function* webhooksOf(tx: Tx, lanes: readonly LaneRow[]): Work<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>();
  const uids = lanes.map((lane) => lane.webhook_uid);
  for (const piece of pieces([...new Set(uids)])) {
    const rows = yield* tx.all<WebhookRow>(
      `SELECT * FROM push_webhooks WHERE uid IN ${listOf(piece.length)}`,
      piece,
    );
    for (const row of rows) found.set(row.uid, toWebhook(row));
  }
  const shared = lanes.filter(isOfSubscription).map((lane) => lane.webhook_uid);
  if (shared.length === 0) return found;
  const live = yield* liveSubscriptions(tx, [...new Set(shared)], true);
  for (const id of shared) found.set(id, live.get(id));
  return found;
}

/**
 * Brings these lanes of a subscription in line with it. Tasks before lanes, as appends have it: an event
 * that comes meanwhile is in the task's seq, or finds the lane as it is afterwards. All in one step, and
 * alone in its transaction: who holds the subscription waits for no task and no lane.
 */
export function* alignLanes(
  tx: Tx,
  { ids: newIds, tasks }: StreamSources,
  subscriptionId: string,
  laneIds: readonly string[],
  now: Date,
): Work<void> {
  // What it is until it is locked; when that has changed by then, its lanes are gone through again.
  const expected = (yield* liveSubscriptions(tx, [subscriptionId], false)).get(subscriptionId);
  const found = (yield* lanesOf(tx, laneIds)).filter((lane) => isOut(expected, lane));
  const deaf = found.filter((lane) => isDeaf(expected, lane)).map((lane) => lane.task_id);
  const seqs = yield* tasks.lockSeqs(tx, deaf);
  const lanes = yield* lanesOf(
    tx,
    found.map(({ id }) => id),
    forUpdate(tx),
  );
  const of = (yield* liveSubscriptions(tx, [subscriptionId], true)).get(subscriptionId);
  if (of !== undefined) yield* hear(tx, tasks, of, lanes, seqs);
  const out = lanes.filter((lane) => isOut(of, lane));
  yield* place(tx, newIds, of, out, now);
}

function isTold({ state }: Webhook): boolean {
  return state === 'active' || state === 'failing';
}

/** Whether the lane is not as the subscription says. One at rest is looked at again when it is claimed. */
function isOut(of: Found, lane: LaneRow): boolean {
  if (of === undefined) return true;
  if (!isTold(of))
    return of.state === 'paused' ? lane.active === 1 && lane.due_at !== null : lane.active !== 0;
  const { active, endpoint, due_at, every_event } = lane;
  return (
    active !== 1 || endpoint !== of.endpoint || due_at !== null || every_event !== everyEvent(of)
  );
}

/** Events have passed the lane by, or would. */
function isDeaf(of: Found, { active, every_event }: LaneRow): boolean {
  return of !== undefined && isTold(of) && (active === 0 || every_event !== everyEvent(of));
}

function everyEvent({ events }: Webhook): number {
  return events === 'all' ? 1 : 0;
}

/** Tells lanes that heard of no events how far their logs are, and has them hear what they want to. */
function* hear(
  tx: Tx,
  tasks: TaskPositions,
  of: Webhook,
  lanes: readonly LaneRow[],
  seqs: ReadonlyMap<string, number>,
): Work<void> {
  const deaf = lanes.filter((lane) => isDeaf(of, lane) && seqs.has(lane.task_id));
  const every = everyEvent(of);
  for (const { id, task_id: taskId, head_seq: head } of deaf) {
    yield* tx.run('UPDATE push_lanes SET head_seq = ?, every_event = ? WHERE id = ?', [
      Math.max(head, seqs.get(taskId) ?? 0),
      every,
      id,
    ]);
    if (every === 1) yield* tasks.wantEveryEvent(tx, [taskId]);
  }
}

/**
 * Puts locked lanes where their subscription wants them; what is under way for them is made void.
 * `claimed`: that is nothing, as they were claimed just now.
 */
function* place(
  tx: Tx,
  newIds: IdSource,
  of: Found,
  lanes: readonly LaneRow[],
  now: Date,
  claimed = false,
): Work<void> {
  if (of === undefined) return yield* forgetLanes(tx, newIds, lanes, GONE, now);
  if (of.state === 'disabled') return yield* endLanes(tx, newIds, lanes, DISABLED, now);
  const at = now.getTime();
  const ids = lanes.map(({ id }) => id);
  if (of.state === 'paused') return yield* park(tx, ids, now, claimed);
  for (const piece of pieces(ids)) {
    const these = `id IN ${listOf(piece.length)}`;
    yield* tx.run(
      `UPDATE push_lanes SET active = 1, endpoint = ?, epoch = epoch + 1, owner = NULL,
         lease_until = NULL, state = 'active', state_reason = NULL, failing_since = NULL,
         updated_at = ?,
         due_at = CASE WHEN open > 0 OR head_seq >= next_seq THEN CAST(? AS bigint) ELSE NULL END
       WHERE ${these}`,
      [of.endpoint, at, at, ...piece],
    );
    yield* tx.run(
      `UPDATE push_deliveries SET tries = 0, rejections = 0, next_attempt_at = NULL, endpoint = ?,
         updated_at = ?
       WHERE lane_${these} AND state IN ('pending', 'retrying')`,
      [of.endpoint, at, ...piece],
    );
  }
}

/** Has lanes tell nothing; events gather. */
function* park(tx: Tx, ids: readonly string[], now: Date, claimed: boolean): Work<void> {
  // An attempt under way ends as it ends; its lane then rests.
  const free = claimed ? 'owner = NULL, lease_until = NULL,' : '';
  for (const piece of pieces(ids)) {
    yield* tx.run(
      `UPDATE push_lanes SET active = 2, due_at = NULL, ${free} updated_at = ?
       WHERE id IN ${listOf(piece.length)}`,
      [now.getTime(), ...piece],
    );
  }
}

/**
 * The live ones of these; with `shared` they cannot change until the transaction ends. Locked after tasks
 * and lanes; what comes behind is the deliveries of lanes that are held.
 */
function* liveSubscriptions(
  tx: Tx,
  ids: readonly string[],
  shared: boolean,
): Work<ReadonlyMap<string, Webhook>> {
  const found = new Map<string, Webhook>();
  for (const piece of pieces([...ids].sort())) {
    const rows = yield* tx.all<WebhookRow>(
      `SELECT * FROM push_webhooks WHERE uid IN ${listOf(piece.length)} AND state <> '${DELETED}'
       ORDER BY uid${shared && tx.dialect === 'postgres' ? ' FOR SHARE' : ''}`,
      piece,
    );
    for (const row of rows) found.set(row.uid, toWebhook(row));
  }
  return found;
}

/** With `lock` they are locked, in the order of their ids. */
function* lanesOf(tx: Tx, ids: readonly string[], lock = ''): Work<LaneRow[]> {
  const lanes: LaneRow[] = [];
  for (const piece of pieces([...ids].sort())) {
    const rows = yield* tx.all<LaneRow>(
      `SELECT * FROM push_lanes WHERE id IN ${listOf(piece.length)} ORDER BY id${lock}`,
      piece,
    );
    lanes.push(...rows);
  }
  return lanes;
}

/** A webhook of one task has the id of its lane. */
function isOfSubscription({ id, webhook_uid: uid }: LaneRow): boolean {
  return uid !== id;
}

/** Whose standing counts. */
function senderOf({ setBy, principalId }: Webhook): string {
  return setBy ?? principalId;
}

function kindOf({ scope }: Webhook): 'webhook' | SubscriptionScope {
  return scope === 'task' ? 'webhook' : scope;
}
