import type { PrincipalHolds } from '../../../auth/index.js';
import type { IdSource } from '../../../common/ids.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { PushConfig } from '../../configs/push-config.js';
import type { Subscription } from '../../subscriptions/subscription.js';
import { type ConfigRow, type LaneRow, forUpdate, toConfig } from '../push-rows.js';
import { hearEveryEvent } from '../configs/webhook-writes.js';
import { endLanes, forgetLanes } from '../lanes/end-lanes.js';
import {
  DELETED,
  type SubscriptionRow,
  toSubscription,
  underSubscription,
} from './subscription-rows.js';

const NO_SUBSCRIPTIONS: ReadonlyMap<string, Subscription> = new Map();
const DISABLED = 'the subscription is disabled';
const GONE = 'the subscription was deleted';

/** A subscription as lanes find it; undefined when it is deleted. */
type Found = Subscription | undefined;

/** What the claim gives that asks. */
export interface Claiming {
  readonly ids: IdSource;
  readonly now: Date;
  readonly holds: PrincipalHolds;
}

/**
 * The configs, by uid, of the claimed lanes that may be told; one made for a subscription says what that
 * says now. Lanes of one that is paused, disabled, deleted or elsewhere now, and those that are held back
 * because of their principal, are put where they belong and have none. In the transaction of the claim,
 * which has just written `lanes`.
 */
export function* tellableConfigs(
  tx: Tx,
  { ids: newIds, now, holds }: Claiming,
  lanes: readonly LaneRow[],
  configs: readonly ConfigRow[],
): Work<Map<string, PushConfig>> {
  const byUid = new Map(configs.map((row) => [row.uid, toConfig(row)]));
  const setters = new Map(configs.map((row) => [row.uid, setterOf(row)]));
  const ids = new Set(configs.flatMap(({ subscription_id: id }) => (id === null ? [] : [id])));
  const subscriptions =
    ids.size === 0 ? NO_SUBSCRIPTIONS : yield* liveSubscriptions(tx, [...ids], true);
  // Read last, and true until the commit: what a principal loses after it was disabled is not given.
  const holdOf = yield* holds.heldIn(tx, ownersOf(configs, subscriptions), now);
  const elsewhere = new Map<string, LaneRow[]>();
  const held: string[] = [];
  for (const lane of lanes) {
    const config = byUid.get(lane.config_uid);
    if (config === undefined) continue;
    const { uid, organization, subscriptionId: id } = config;
    const of = id === null ? undefined : subscriptions.get(id);
    const sending = { kind: of?.scope ?? ('webhook' as const), organization };
    if (id !== null && (of === undefined || !isTold(of))) {
      byUid.delete(uid);
      elsewhere.set(id, [...(elsewhere.get(id) ?? []), lane]);
    } else if (holdOf(of?.principalId ?? setters.get(uid)!, sending) !== null) {
      byUid.delete(uid);
      held.push(lane.id);
    } else if (id !== null && of?.endpoint !== lane.endpoint) {
      byUid.delete(uid);
      elsewhere.set(id, [...(elsewhere.get(id) ?? []), lane]);
    } else if (of !== undefined) byUid.set(uid, underSubscription(config, of));
  }
  for (const [id, theirs] of elsewhere) {
    yield* place(tx, newIds, subscriptions.get(id), theirs, now, true);
  }
  yield* park(tx, held, now, true);
  return byUid;
}

/** Who has set it: its owner, or another who sees the task. */
function setterOf({ set_by: setBy, principal_id: owner }: ConfigRow): string {
  return setBy ?? owner;
}

/** Whose standing counts: that of a subscription's owner for all that was made for it. */
function ownersOf(
  configs: readonly ConfigRow[],
  subscriptions: ReadonlyMap<string, Subscription>,
): string[] {
  return configs.map((row) => {
    const id = row.subscription_id;
    return (id === null ? undefined : subscriptions.get(id)?.principalId) ?? setterOf(row);
  });
}

/**
 * Brings the lanes of these configs of a subscription in line with it. Tasks before lanes, as appends
 * have it: an event that comes meanwhile is in the task's seq, or finds the lane as it is afterwards. All
 * in one step, and alone in its transaction: who holds the subscription waits for no task and no lane.
 */
export function* alignLanes(
  tx: Tx,
  newIds: IdSource,
  subscriptionId: string,
  configs: readonly Pick<ConfigRow, 'uid' | 'task_id'>[],
  now: Date,
): Work<void> {
  // What it is until it is locked; when that has changed by then, its lanes are gone through again.
  const expected = (yield* liveSubscriptions(tx, [subscriptionId], false)).get(subscriptionId);
  const found = (yield* lanesOf(tx, configs)).filter((lane) => isOut(expected, lane));
  const deaf = found.filter((lane) => isDeaf(expected, lane)).map((lane) => lane.task_id);
  const seqs = yield* lockedSeqs(tx, deaf);
  const lanes = yield* lockedLanes(
    tx,
    found.map(({ id }) => id),
  );
  const of = (yield* liveSubscriptions(tx, [subscriptionId], true)).get(subscriptionId);
  if (of !== undefined) yield* hear(tx, of, lanes, seqs);
  const out = lanes.filter((lane) => isOut(of, lane));
  yield* place(tx, newIds, of, out, now);
  if (of !== undefined) return;
  yield* forgetConfigs(
    tx,
    configs.map(({ uid }) => uid),
  );
}

function isTold({ state }: Subscription): boolean {
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

function everyEvent({ events }: Subscription): number {
  return events === 'all' ? 1 : 0;
}

/** Tells lanes that heard of no events how far their logs are, and has them hear what they want to. */
function* hear(
  tx: Tx,
  of: Subscription,
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
    if (every === 1) yield* hearEveryEvent(tx, [taskId]);
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
         lease_until = NULL, updated_at = ?,
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
    yield* tx.run(
      `UPDATE push_configs SET state = 'active', state_reason = NULL, failing_since = NULL,
         updated_at = ?
       WHERE uid IN (SELECT config_uid FROM push_lanes WHERE ${these})
         AND (state <> 'active' OR failing_since IS NOT NULL)`,
      [at, ...piece],
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
 * and lanes; what comes behind is the deliveries and configs of lanes that are held.
 */
function* liveSubscriptions(
  tx: Tx,
  ids: readonly string[],
  shared: boolean,
): Work<ReadonlyMap<string, Subscription>> {
  const found = new Map<string, Subscription>();
  for (const piece of pieces([...ids].sort())) {
    const rows = yield* tx.all<SubscriptionRow>(
      `SELECT * FROM push_subscriptions WHERE id IN ${listOf(piece.length)} AND state <> '${DELETED}'
       ORDER BY id${shared && tx.dialect === 'postgres' ? ' FOR SHARE' : ''}`,
      piece,
    );
    for (const row of rows) found.set(row.id, toSubscription(row));
  }
  return found;
}

function* lanesOf(tx: Tx, configs: readonly Pick<ConfigRow, 'uid' | 'task_id'>[]): Work<LaneRow[]> {
  const list = listOf(configs.length);
  return yield* tx.all<LaneRow>(
    `SELECT * FROM push_lanes WHERE task_id IN ${list} AND config_uid IN ${list}`,
    [...configs.map((row) => row.task_id), ...configs.map(({ uid }) => uid)],
  );
}

/** The tasks' newest entries; none is added until the transaction ends. */
function* lockedSeqs(tx: Tx, taskIds: readonly string[]): Work<ReadonlyMap<string, number>> {
  const seqs = new Map<string, number>();
  for (const piece of pieces([...new Set(taskIds)].sort())) {
    const rows = yield* tx.all<{ id: string; seq: number }>(
      `SELECT id, seq FROM tasks WHERE id IN ${listOf(piece.length)} ORDER BY id${forUpdate(tx)}`,
      piece,
    );
    for (const { id, seq } of rows) seqs.set(id, seq);
  }
  return seqs;
}

function* lockedLanes(tx: Tx, ids: readonly string[]): Work<LaneRow[]> {
  const lanes: LaneRow[] = [];
  for (const piece of pieces([...ids].sort())) {
    const rows = yield* tx.all<LaneRow>(
      `SELECT * FROM push_lanes WHERE id IN ${listOf(piece.length)} ORDER BY id${forUpdate(tx)}`,
      piece,
    );
    lanes.push(...rows);
  }
  return lanes;
}

/** Configs whose lanes are gone. */
function* forgetConfigs(tx: Tx, uids: readonly string[]): Work<void> {
  for (const piece of pieces(uids)) {
    yield* tx.run(`DELETE FROM push_configs WHERE uid IN ${listOf(piece.length)}`, piece);
  }
}
