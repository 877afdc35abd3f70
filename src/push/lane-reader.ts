import { storable } from '../database/text.js';
import type { StreamResponse } from '../protocol/a2a.js';
import type { TaskEvent, TaskLog } from '../tasks/index.js';
import type { Delivery } from './delivery.js';
import {
  LOG_START,
  type LaneCursor,
  type PlannedDelivery,
  planEntry,
} from './domain/delivery-plan.js';
import { eventWebhookId } from './domain/webhook-id.js';
import type { DeliveryDraft, Lane, Reached } from './lane-store.js';
import { onlyStates } from './subscriptions/domain/told-states.js';
import { LogGoneError, TaskReplays, payloadOf } from './task-replays.js';
import {
  type BodyLimits,
  UnrenderableError,
  type WebhookBody,
  taskPayload,
  webhookBody,
} from './webhook-body.js';

/** Log entries read at once. */
const PAGE = 200;

/** Trying again would not help. */
export function isHopeless(error: unknown): error is Error {
  return error instanceof LogGoneError || error instanceof UnrenderableError;
}

/** Reads the log for a lane: what its webhook is to be told next, with the bytes. */
export class LaneReader {
  private readonly replays: TaskReplays;

  constructor(
    private readonly log: TaskLog,
    private readonly limits: BodyLimits,
  ) {
    this.replays = new TaskReplays(log);
  }

  /** Goes from the lane's place to the next log entry of interest, else to the end of the log. */
  async next(lane: Lane): Promise<Reached> {
    const { taskId } = lane.config;
    let cursor = lane.cursor ?? (await this.cursorAt(taskId, lane.nextSeq));
    let nextSeq = lane.nextSeq;
    for (;;) {
      const page = await this.log.events(taskId, nextSeq - 1, PAGE);
      for (const event of page) {
        const entry = { kind: event.kind, payload: payloadOf(event) };
        const full = planEntry(cursor, entry, lane.config.events);
        const plan = onlyStates(full, entry, lane.config.states);
        cursor = plan.cursor;
        nextSeq = event.seq + 1;
        const deliveries = await this.drafts(lane, event, plan.deliveries);
        if (deliveries.length > 0) {
          return { nextSeq, cursor, deliveries, asLogged: isAsLogged(deliveries, event) };
        }
      }
      if (page.length < PAGE) return { nextSeq, cursor, deliveries: [] };
    }
  }

  /** The bytes of a delivery that has none: a snapshot, or one that is sent again. */
  async render(
    lane: Lane,
    delivery: Pick<Delivery, 'seq' | 'kind' | 'artifactId'>,
  ): Promise<WebhookBody> {
    const { version, taskId } = lane.config;
    if (delivery.kind === 'snapshot' || version !== '1.0') {
      const task = await this.replays.asOf(lane.id, taskId, delivery.seq);
      return webhookBody(version, taskPayload(task), this.limits);
    }
    if (delivery.kind === 'artifact') {
      return this.renderArtifact(lane, delivery.seq, delivery.artifactId);
    }
    const [event] = await this.log.events(taskId, delivery.seq - 1, 1);
    if (event?.seq !== delivery.seq) throw new LogGoneError(`The log has no entry ${delivery.seq}`);
    return webhookBody(version, payloadOf(event), this.limits, event.body);
  }

  /** Frees what was kept for a lane that rests. */
  forget(laneId: string): void {
    this.replays.forget(laneId);
  }

  private async drafts(
    lane: Lane,
    event: TaskEvent,
    planned: readonly PlannedDelivery[],
  ): Promise<DeliveryDraft[]> {
    // A 0.x body is the whole task, so one request tells all that one entry brought.
    const wanted = lane.config.version === '1.0' ? planned : planned.slice(-1);
    const drafts: DeliveryDraft[] = [];
    for (const [i, delivery] of wanted.entries()) {
      const artifactId = delivery.kind === 'artifact' ? delivery.artifactId : null;
      const part = delivery.kind === 'artifact' && wanted.length > 1 ? i + 1 : undefined;
      const draft = { seq: event.seq, kind: delivery.kind, artifactId };
      const bytes = await this.tryRender(lane, draft);
      drafts.push({
        ...draft,
        ...bytes,
        webhookId: eventWebhookId(lane.config.uid, event.seq, part),
      });
    }
    return drafts;
  }

  /** Without bytes when they cannot be made: one bad event must not hold up the lane. */
  private async tryRender(
    lane: Lane,
    draft: Pick<Delivery, 'seq' | 'kind' | 'artifactId'>,
  ): Promise<Pick<DeliveryDraft, 'body' | 'contentType'>> {
    try {
      return await this.render(lane, draft);
    } catch (error) {
      if (isHopeless(error)) return { body: null, contentType: null };
      throw error;
    }
  }

  private async renderArtifact(
    lane: Lane,
    seq: number,
    artifactId: string | null,
  ): Promise<WebhookBody> {
    const { taskId, version } = lane.config;
    const task = await this.replays.asOf(lane.id, taskId, seq);
    // Delivery rows hold the id as the database can.
    const wanted = storable(artifactId);
    const artifact = task.artifacts.find((each) => storable(each.artifactId) === wanted);
    const payload: NonNullable<StreamResponse['payload']> = {
      $case: 'artifactUpdate',
      value: {
        taskId,
        contextId: task.contextId,
        artifact,
        append: false,
        lastChunk: true,
        metadata: undefined,
      },
    };
    return webhookBody(version, payload, this.limits);
  }

  private async cursorAt(taskId: string, nextSeq: number): Promise<LaneCursor> {
    let cursor = LOG_START;
    for (let seq = 0; seq < nextSeq - 1;) {
      const page = await this.log.events(taskId, seq, Math.min(PAGE, nextSeq - 1 - seq));
      if (page.length === 0) break;
      for (const event of page) {
        cursor = planEntry(cursor, { kind: event.kind, payload: payloadOf(event) }).cursor;
        seq = event.seq;
      }
    }
    return cursor;
  }
}

/** Nothing but the log has a say in these bytes: no other code, setting or entry. */
function isAsLogged([draft, ...others]: readonly DeliveryDraft[], event: TaskEvent): boolean {
  return others.length === 0 && draft?.kind === 'event' && draft.body === event.body;
}
