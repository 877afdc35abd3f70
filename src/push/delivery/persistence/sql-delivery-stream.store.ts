import type { PrincipalHolds } from '../../../auth/index.js';
import type { IdSource } from '../../../common/ids.js';
import type { Database } from '../../../database/database.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { OpenDelivery } from '../delivery.js';
import { type LaneCaps, LaneTurns } from '../domain/stream-choice.js';
import type { EndpointRules } from '../../receivers/domain/endpoint-health.js';
import type { PushEvent, PushEventDraft } from '../../receivers/push-event.js';
import type { EventAnnouncer } from '../../receivers/event-announcer.js';
import { QUEUED_FROM } from '../domain/endpoint-queue.js';
import {
  type DueMark,
  type Lane,
  LaneStore,
  type PushLoad,
  type Reached,
  type Settlement,
  type StepResult,
} from '../delivery-stream-store.js';
import type { TaskWebhook } from '../../registration/webhook.js';
import { SMALL_BODY } from '../body-budget.js';
import { claimLanes } from './claim-streams.js';
import { leaveLetters } from './end-streams.js';
import { forgetTasks } from './forget-tasks.js';
import { markDue } from './mark-due.js';
import { freeTrials } from '../../receivers/persistence/endpoint-rows.js';
import { recordEvents } from '../../receivers/persistence/record-event.js';
import { DELIVERY_COLUMNS, type DeliveryRow, toDelivery } from './delivery-rows.js';
import { reachLane, recountLane, toStep } from './advance-stream.js';
import {
  type SettledEndpoint,
  giveTrialBack,
  holdEndpoint,
  settleEndpoint,
  settleLostTrial,
} from './record-endpoint-outcome.js';
import { settleStanding, settleDelivery, settleLane } from './record-attempt.js';
import { settleSubscription } from '../../registration/persistence/webhook-revision.js';

/** Lanes counted for all endpoints together. */
const LOAD_LIMIT = 100_000;

const OPEN = `state IN ('pending', 'retrying')`;

/** A delivery with its body when that is small, else with the bytes of it. */
type SizedRow = DeliveryRow & { readonly body_size: number | null };
const SMALL_BODY_COLUMNS = `${DELIVERY_COLUMNS}, octet_length(body) AS body_size,
  CASE WHEN octet_length(body) <= ${SMALL_BODY} THEN body END AS body`;

/** {@link LaneStore} on the hub's database. */
export class SqlLaneStore extends LaneStore {
  private readonly turns = new LaneTurns();

  constructor(
    private readonly database: Database,
    private readonly ids: IdSource,
    private readonly rules: EndpointRules,
    private readonly events: EventAnnouncer,
    private readonly principals: PrincipalHolds,
    /** The most attempts at once that the receiver of a webhook may come to have. Default: the rules'. */
    private readonly maxSlotsOf: (webhook: TaskWebhook) => number = () => rules.maxSlots,
  ) {
    super();
  }

  markDue(tx: Tx, due: readonly DueMark[], now: Date): Work<number> {
    return markDue(tx, due, now);
  }

  claim(
    owner: string,
    now: Date,
    leaseMs: number,
    caps: LaneCaps,
    except: readonly string[] = [],
  ): Promise<Lane[]> {
    const { startSlots } = this.rules;
    const claim = {
      owner,
      now,
      leaseMs,
      caps,
      except,
      startSlots,
      ids: this.ids,
      holds: this.principals,
    };
    // A power failure that takes the leases takes those who hold them as well.
    return this.database.write((tx) => claimLanes(tx, claim, this.turns), 'may-be-lost');
  }

  async nextDueAt(now: Date, later?: 'later'): Promise<Date | null> {
    const at = now.getTime();
    const from = later === undefined ? 0 : at + 1;
    const [row] = await this.database.read<{ lane: number | null; queue: number | null }>(
      `SELECT (SELECT due_at FROM push_lanes
           WHERE due_at >= ? AND due_at < ${QUEUED_FROM} AND COALESCE(lease_until, 0) <= ?
           ORDER BY due_at LIMIT 1) AS lane,
         (SELECT ready_at FROM push_endpoints WHERE ready_at >= ?
           ORDER BY ready_at LIMIT 1) AS queue`,
      [from, at, from],
    );
    const times = [row?.lane, row?.queue].filter((at) => typeof at === 'number');
    return times.length === 0 ? null : new Date(Math.min(...times));
  }

  async firstOpen(
    laneId: string,
    epoch?: number,
    room?: (bytes: number) => Promise<void>,
  ): Promise<OpenDelivery | undefined> {
    const claimed = `AND EXISTS (SELECT 1 FROM push_lanes l
      WHERE l.id = push_deliveries.lane_id AND l.epoch = ? AND l.active = 1)`;
    const first = (columns: string): string => `SELECT ${columns} FROM push_deliveries
      WHERE lane_id = ? AND ${OPEN} ${epoch === undefined ? '' : claimed} ORDER BY number LIMIT 1`;
    const params = epoch === undefined ? [laneId] : [laneId, epoch];
    const [row] = await this.database.read<SizedRow>(first(SMALL_BODY_COLUMNS), params);
    if (!row) return undefined;
    const size = row.body_size ?? 0;
    if (size <= SMALL_BODY) return { ...toDelivery(row), body: row.body };
    await room?.(size);
    // What changed while it waited counts: nothing is sent of a claim of before.
    const [whole] = await this.database.read<DeliveryRow>(first('*'), params);
    return whole?.id === row.id ? { ...toDelivery(whole), body: whole.body } : undefined;
  }

  reach(lane: Lane, reached: Reached, now: Date, leaseUntil: Date): Promise<StepResult> {
    const ids = reached.deliveries.map(() => this.ids.next());
    return this.database.write((tx) => reachLane(tx, lane, reached, ids, now, leaseUntil));
  }

  recount(lane: Lane, now: Date, leaseUntil: Date): Promise<StepResult> {
    return this.database.write((tx) => recountLane(tx, lane, now, leaseUntil));
  }

  async holds(lane: Lane): Promise<boolean> {
    const rows = await this.database.read(
      'SELECT 1 AS held FROM push_lanes WHERE id = ? AND epoch = ? AND active = 1',
      [lane.id, lane.epoch],
    );
    return rows.length > 0;
  }

  async keepBody(
    lane: Lane,
    deliveryId: string,
    body: string,
    contentType: string,
  ): Promise<boolean> {
    const changes = await this.database.write((tx) =>
      tx.run(
        `UPDATE push_deliveries SET body = ?, content_type = ? WHERE id = ? AND EXISTS
           (SELECT 1 FROM push_lanes l WHERE l.id = push_deliveries.lane_id AND l.epoch = ?)`,
        [body, contentType, deliveryId, lane.epoch],
      ),
    );
    return changes > 0;
  }

  async settle(
    lane: Lane,
    settlement: Settlement,
    now: Date,
    leaseUntil: Date,
  ): Promise<StepResult> {
    const { ids } = this;
    const rules = { ...this.rules, maxSlots: this.maxSlotsOf(lane.webhook) };
    const chance = this.ids.jitter();
    const { step, events } = await this.database.write(function* (tx): Work<Settled> {
      const row = yield* settleLane(tx, lane, settlement, now, leaseUntil);
      if (!row) {
        const { outcome } = settlement;
        const tried = outcome && (yield* settleLostTrial(tx, lane, outcome, rules, now, chance));
        return { step: 'lost', events: yield* recordEvents(tx, eventsOf(lane, tried, null, now)) };
      }
      yield* settleDelivery(tx, lane, settlement, now);
      const { disableAfterMs } = rules;
      const webhook = yield* settleStanding(tx, lane.webhook, settlement, now, disableAfterMs);
      const { outcome, result } = settlement;
      const isDisabled = result.state === 'dead' && result.consequence === 'disabled';
      if (isDisabled) yield* leaveLetters(tx, ids, [row], disabledBy(result.reason), now);
      const settled =
        outcome && (yield* settleEndpoint(tx, lane, row, outcome, rules, now, chance));
      if (!settled) yield* giveTrialBack(tx, lane);
      const isGone = isDisabled && settlement.attempt?.status === 410;
      if (webhook !== lane.webhook) yield* settleSubscription(tx, webhook, isGone, now);
      const drafts = eventsOf(lane, settled, isDisabled ? result.reason : null, now);
      const events = yield* recordEvents(tx, drafts);
      // The trial is over with its first attempt.
      const step = toStep(row, { ...lane, trialUntil: null }, webhook);
      return { step: settled?.parked ? 'rests' : step, events };
    });
    this.events.tell(events);
    return step;
  }

  async release(lane: Lane, dueAt: Date): Promise<void> {
    await this.database.write(function* (tx) {
      yield* tx.run(
        `UPDATE push_lanes SET owner = NULL, lease_until = NULL,
           due_at = CASE WHEN due_at IS NULL THEN NULL ELSE CAST(? AS bigint) END
         WHERE id = ? AND epoch = ?`,
        [dueAt.getTime(), lane.id, lane.epoch],
      );
      yield* giveTrialBack(tx, lane);
    });
  }

  async hold(lane: Lane, until: Date, now: Date): Promise<void> {
    const { rules } = this;
    await this.database.write((tx) => holdEndpoint(tx, lane, until, rules, now));
  }

  releaseOthers(owner: string): Promise<number> {
    return this.database.write(function* (tx) {
      yield* freeTrials(tx, 'probe_until IS NOT NULL');
      // They were due before they were leased.
      return yield* tx.run(
        `UPDATE push_lanes SET owner = NULL, lease_until = NULL, epoch = epoch + 1,
           due_at = CASE WHEN due_at > updated_at THEN updated_at ELSE due_at END
         WHERE lease_until IS NOT NULL AND owner <> ?`,
        [owner],
      );
    });
  }

  forgetTasks(tx: Tx, taskIds: readonly string[], drops = false): Work<readonly string[]> {
    return forgetTasks(tx, taskIds, drops);
  }

  async load(): Promise<PushLoad> {
    const [endpoints] = await this.database.read<Record<string, number | null>>(
      `SELECT SUM(CASE WHEN probe_at IS NOT NULL THEN 1 ELSE 0 END) AS open,
         SUM(CASE WHEN state = 'failing' THEN 1 ELSE 0 END) AS failing,
         SUM(CASE WHEN state = 'disabled' THEN 1 ELSE 0 END) AS disabled
       FROM push_endpoints`,
    );
    const [lanes] = await this.database.read<Record<string, number | null>>(
      `SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM push_lanes WHERE due_at IS NOT NULL
           LIMIT ${LOAD_LIMIT}) AS counted) AS waiting,
         (SELECT due_at FROM push_lanes WHERE due_at < ${QUEUED_FROM}
           ORDER BY due_at LIMIT 1) AS due`,
    );
    const due = lanes?.['due'];
    return {
      openEndpoints: Number(endpoints?.['open'] ?? 0),
      failingEndpoints: Number(endpoints?.['failing'] ?? 0),
      disabledEndpoints: Number(endpoints?.['disabled'] ?? 0),
      waitingLanes: Number(lanes?.['waiting'] ?? 0),
      oldestDueAt: typeof due === 'number' ? new Date(due) : null,
    };
  }
}

function disabledBy(reason: string): string {
  return `the webhook is disabled: ${reason}`;
}

/** What an attempt wrote. */
interface Settled {
  readonly step: StepResult;
  readonly events: readonly PushEvent[];
}

function eventsOf(
  lane: Lane,
  settled: SettledEndpoint | undefined,
  disabledBecause: string | null,
  at: Date,
): PushEventDraft[] {
  const { organization, principalId, taskId, configId, failingSince } = lane.webhook;
  const drafts: PushEventDraft[] = [];
  const common = { at, organization, endpoint: lane.endpoint };
  if (disabledBecause !== null) {
    const whose = { principalId, taskId, configId };
    const type = 'config.disabled' as const;
    drafts.push({ ...common, ...whose, type, reason: disabledBecause, since: failingSince });
  }
  if (settled?.event) {
    const { lastError } = settled.health;
    const { since } = settled;
    drafts.push({
      ...common,
      principalId: null,
      taskId: null,
      configId: null,
      type: settled.event,
      reason: settled.event === 'endpoint.recovered' ? null : lastError,
      since: since === null ? null : new Date(since),
    });
  }
  return drafts;
}
