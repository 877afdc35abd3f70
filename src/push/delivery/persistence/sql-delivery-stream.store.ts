import type { PrincipalHolds } from '../../../auth/index.js';
import type { IdSource } from '../../../common/ids.js';
import type { Database } from '../../../database/database.js';
import type { Work } from '../../../database/sql.js';
import type { DatabaseRow } from '../../../database/table.js';
import type { OpenDelivery } from '../delivery.js';
import { type ClaimLimits, OrganizationTurns } from '../domain/stream-choice.js';
import type { EndpointRules } from '../../receivers/domain/endpoint-health.js';
import type { PushEvent } from '../../receivers/push-event.js';
import type { EventAnnouncer } from '../../receivers/event-announcer.js';
import { QUEUED_FROM } from '../domain/endpoint-queue.js';
import {
  type DeliveryStream,
  DeliveryStreamStore,
  type PushLoad,
  type Reached,
  type AttemptRecord,
  type StepResult,
} from '../delivery-stream-store.js';
import type { TaskWebhook } from '../../registration/webhook.js';
import { SMALL_BODY } from '../send-budget.js';
import { claimStreams } from './claim-streams.js';
import { RECEIVER_STATE_IS } from '../../receivers/persistence/receiver-states.js';
import { releaseProbes } from '../../receivers/persistence/endpoint-rows.js';
import { recordEvents } from '../../receivers/persistence/record-event.js';
import { DELIVERY, NO_TEST, OPEN_DELIVERY } from './delivery-rows.js';
import { advanceStream, recountStream } from './advance-stream.js';
import { releaseProbe, postponeEndpoint, recordTestOnEndpoint } from './record-endpoint-outcome.js';
import { AttemptBatches } from './attempt-batches.js';
import { endpointEvents, recordOutcomes } from './record-outcomes.js';

/** Streams counted for all endpoints together. */
const LOAD_LIMIT = 100_000;
/** Dead letters that are counted at most. */
const DEAD_LIMIT = 10_000;

const OPEN = `state IN ('pending', 'retrying')`;

/** A delivery with its body when that is small, else with the bytes of it. */
type SizedRow = DatabaseRow & { readonly body_size: number | null; readonly body: string | null };
const SMALL_BODY_COLUMNS = `${DELIVERY.names}, octet_length(body) AS body_size,
  CASE WHEN octet_length(body) <= ${SMALL_BODY} THEN body END AS body`;

/** {@link DeliveryStreamStore} on the hub's database. */
export class SqlDeliveryStreamStore extends DeliveryStreamStore {
  private readonly turns = new OrganizationTurns();
  private readonly outcomes: AttemptBatches;

  constructor(
    private readonly database: Database,
    private readonly ids: IdSource,
    private readonly rules: EndpointRules,
    private readonly events: EventAnnouncer,
    private readonly principals: PrincipalHolds,
    /** The most attempts at once that the receiver of a webhook may come to have. Default: the rules'. */
    private readonly maxConcurrencyOf: (webhook: TaskWebhook) => number = () =>
      rules.maxConcurrency,
  ) {
    super();
    this.outcomes = new AttemptBatches(database, (tx, outcomes) =>
      recordOutcomes(tx, outcomes, ids),
    );
  }

  claim(
    owner: string,
    now: Date,
    leaseMs: number,
    caps: ClaimLimits,
    except: readonly string[] = [],
  ): Promise<DeliveryStream[]> {
    const { startConcurrency } = this.rules;
    const claim = {
      owner,
      now,
      leaseMs,
      caps,
      except,
      startConcurrency,
      ids: this.ids,
      holds: this.principals,
    };
    // A power failure that takes the leases takes those who hold them as well.
    return this.database.write((tx) => claimStreams(tx, claim, this.turns), 'may-be-lost');
  }

  async nextDueAt(now: Date, later?: 'later'): Promise<Date | null> {
    const at = now.getTime();
    const from = later === undefined ? 0 : at + 1;
    const [row] = await this.database.read<{ stream: number | null; queue: number | null }>(
      `SELECT (SELECT due_at FROM push_delivery_streams
           WHERE due_at >= ? AND due_at < ${QUEUED_FROM} AND COALESCE(lease_until, 0) <= ?
           ORDER BY due_at LIMIT 1) AS stream,
         (SELECT ready_at FROM push_endpoints WHERE ready_at >= ?
           ORDER BY ready_at LIMIT 1) AS queue`,
      [from, at, from],
    );
    const times = [row?.stream, row?.queue].filter((at) => typeof at === 'number');
    return times.length === 0 ? null : new Date(Math.min(...times));
  }

  async firstOpen(
    streamId: string,
    epoch?: number,
    reserve?: (bytes: number) => Promise<void>,
  ): Promise<OpenDelivery | undefined> {
    const claimed = `AND EXISTS (SELECT 1 FROM push_delivery_streams s
      WHERE s.id = push_deliveries.stream_id AND s.epoch = ? AND s.active = 1)`;
    const first = (columns: string): string => `SELECT ${columns} FROM push_deliveries
      WHERE stream_id = ? AND ${OPEN} ${epoch === undefined ? '' : claimed} ORDER BY number LIMIT 1`;
    const params = epoch === undefined ? [streamId] : [streamId, epoch];
    const [row] = await this.database.read<SizedRow>(first(SMALL_BODY_COLUMNS), params);
    if (!row) return undefined;
    const size = row.body_size ?? 0;
    if (size <= SMALL_BODY) return { ...DELIVERY.read(row), body: row.body };
    await reserve?.(size);
    // What changed while it waited counts: nothing is sent of a claim of before.
    const rows = await this.database.read<DatabaseRow>(first(OPEN_DELIVERY.names), params);
    return rows.map(OPEN_DELIVERY.read).find(({ id }) => id === row['id']);
  }

  advance(
    stream: DeliveryStream,
    reached: Reached,
    now: Date,
    leaseUntil: Date,
  ): Promise<StepResult> {
    const ids = reached.deliveries.map(() => this.ids.next());
    return this.database.write((tx) => advanceStream(tx, stream, reached, ids, now, leaseUntil));
  }

  recount(stream: DeliveryStream, now: Date, leaseUntil: Date): Promise<StepResult> {
    return this.database.write((tx) => recountStream(tx, stream, now, leaseUntil));
  }

  async isClaimed(stream: DeliveryStream): Promise<boolean> {
    const rows = await this.database.read(
      'SELECT 1 AS held FROM push_delivery_streams WHERE id = ? AND epoch = ? AND active = 1',
      [stream.id, stream.epoch],
    );
    return rows.length > 0;
  }

  async keepBody(
    stream: DeliveryStream,
    deliveryId: string,
    body: string,
    contentType: string,
  ): Promise<boolean> {
    const changes = await this.database.write((tx) =>
      tx.run(
        `UPDATE push_deliveries SET body = ?, content_type = ? WHERE id = ? AND EXISTS
           (SELECT 1 FROM push_delivery_streams s WHERE s.id = push_deliveries.stream_id AND s.epoch = ?)`,
        [body, contentType, deliveryId, stream.epoch],
      ),
    );
    return changes > 0;
  }

  async recordAttempt(
    stream: DeliveryStream,
    attemptRecord: AttemptRecord,
    now: Date,
    leaseUntil: Date,
  ): Promise<StepResult> {
    const rules = { ...this.rules, maxConcurrency: this.maxConcurrencyOf(stream.webhook) };
    const { step, events } = await this.outcomes.record({
      stream,
      attemptRecord,
      rules,
      now,
      leaseUntil,
    });
    this.events.announce(events);
    return step;
  }

  async recordTest(
    { organization, endpoint }: Pick<TaskWebhook, 'organization' | 'endpoint'>,
    begunAt: Date,
    now: Date,
  ): Promise<void> {
    const { rules } = this;
    const events = await this.database.write(function* (tx): Work<PushEvent[]> {
      const recorded = yield* recordTestOnEndpoint(tx, endpoint, begunAt, rules, now);
      return yield* recordEvents(tx, endpointEvents({ at: now, organization, endpoint }, recorded));
    });
    this.events.announce(events);
  }

  async release(stream: DeliveryStream, dueAt: Date): Promise<void> {
    await this.database.write(function* (tx) {
      yield* tx.run(
        `UPDATE push_delivery_streams SET owner = NULL, lease_until = NULL,
           due_at = CASE WHEN due_at IS NULL THEN NULL ELSE CAST(? AS bigint) END
         WHERE id = ? AND epoch = ?`,
        [dueAt.getTime(), stream.id, stream.epoch],
      );
      yield* releaseProbe(tx, stream);
    });
  }

  async postpone(stream: DeliveryStream, until: Date, now: Date): Promise<void> {
    const { rules } = this;
    await this.database.write((tx) => postponeEndpoint(tx, stream, until, rules, now));
  }

  releaseOthers(owner: string): Promise<number> {
    return this.database.write(function* (tx) {
      yield* releaseProbes(tx, 'probe_until IS NOT NULL');
      // They were due before they were leased.
      return yield* tx.run(
        `UPDATE push_delivery_streams SET owner = NULL, lease_until = NULL, epoch = epoch + 1,
           due_at = CASE WHEN due_at > updated_at THEN updated_at ELSE due_at END
         WHERE lease_until > 0 AND owner <> ?`,
        [owner],
      );
    });
  }

  async load(): Promise<PushLoad> {
    const [endpoints] = await this.database.read<Record<string, number | null>>(
      `SELECT SUM(CASE WHEN probe_at IS NOT NULL AND ${RECEIVER_STATE_IS.failing} THEN 1 ELSE 0 END) AS open,
         SUM(CASE WHEN state = 'failing' THEN 1 ELSE 0 END) AS failing,
         SUM(CASE WHEN state = 'disabled' THEN 1 ELSE 0 END) AS disabled,
         MIN(CASE WHEN state = 'failing' AND ready_at IS NOT NULL THEN failing_since END) AS since
       FROM push_endpoints`,
    );
    const [streams] = await this.database.read<Record<string, number | null>>(
      `SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM push_delivery_streams WHERE due_at IS NOT NULL
           LIMIT ${LOAD_LIMIT}) AS counted) AS waiting,
         (SELECT due_at FROM push_delivery_streams WHERE due_at < ${QUEUED_FROM}
           ORDER BY due_at LIMIT 1) AS due,
         (SELECT COUNT(*) FROM (SELECT 1 FROM push_deliveries WHERE state = 'dead'
           AND ${NO_TEST} LIMIT ${DEAD_LIMIT}) AS dead) AS dead`,
    );
    return {
      openEndpoints: Number(endpoints?.['open'] ?? 0),
      failingEndpoints: Number(endpoints?.['failing'] ?? 0),
      disabledEndpoints: Number(endpoints?.['disabled'] ?? 0),
      waitingStreams: Number(streams?.['waiting'] ?? 0),
      oldestDueAt: timeOf(streams?.['due']),
      oldestFailingSince: timeOf(endpoints?.['since']),
      deadLetters: Number(streams?.['dead'] ?? 0),
    };
  }
}

function timeOf(value: number | null | undefined): Date | null {
  return value == null ? null : new Date(value);
}
