import { Inject, Injectable, Optional } from '@nestjs/common';
import { ByteBudget, type ByteReservation } from '../../common/byte-budget.js';
import { Clock } from '../../common/clock.js';
import { IdSource } from '../../common/ids.js';
import { PublicUrl, Settings } from '../../config/index.js';
import { storable } from '../../database/text.js';
import type { StreamResponse, Task } from '../../protocol/a2a.js';
import { isDamaged, type TaskEvent, TaskLog } from '../../tasks/index.js';
import { type Delivery, type ReadyDelivery, untried } from './delivery.js';
import {
  LOG_START,
  type StreamCursor,
  type PlannedDelivery,
  planEntry,
  deliveredArtifacts,
} from './domain/delivery-plan.js';
import { eventWebhookId } from './domain/webhook-id.js';
import type { DeliveryDraft, DeliveryStream, Reached } from './delivery-stream-store.js';
import { KeptEntries } from './kept-entries.js';
import {
  PAGE,
  PAGES_BUDGET,
  isLast,
  logTurns,
  nextLimit,
  payloadOf,
  readHeaders,
  readPage,
  wireOf,
} from './log-pages.js';
import { LogGoneError, TaskReplays } from './task-replays.js';
import {
  type BodyLimits,
  UnrenderableError,
  type WebhookBody,
  taskPayload,
  webhookBody,
  wireBody,
} from '../sending/webhook-body.js';

/** Log entries read at once; few at first, since most streams find what they look for right there. */
const FIRST_PAGE = 16;
/** One entry can end many artifacts: no more of them are made at once, and none after so many bytes. */
const PIECE = 20;
const PIECE_BYTES = 1024 * 1024;
/** Streams remembered whose cursor is half found out. */
const MAX_HALF_KNOWN = 1000;

/** What a delivery is made from: a row of it, or its draft. */
type Source = Pick<Delivery, 'seq' | 'kind' | 'artifactId'>;

/** An entry that has been looked at, or the part of it that comes next. */
type Passed = Reached & { readonly cursor: StreamCursor };

/** A position in the log with what is known there. */
interface Known {
  readonly seq: number;
  readonly cursor: StreamCursor;
}

/** Trying again would not help. */
export function isPermanent(error: unknown): error is Error {
  return error instanceof LogGoneError || error instanceof UnrenderableError;
}

/**
 * Reads the log for a stream: what is to be delivered next, with the bytes. What all streams hold of
 * the log meanwhile has a limit: a call that would need more, and has waited for it in vain, throws
 * OverBudgetError, and the stream should be tried again in a moment.
 */
@Injectable()
export class DeliveryReader {
  private readonly replays: TaskReplays;
  private readonly limits: BodyLimits;
  /** By stream: how far its cursor is known. */
  private readonly halfKnown = new Map<string, Known>();
  private readonly kept = new KeptEntries();

  constructor(
    private readonly log: TaskLog,
    private readonly ids: IdSource,
    private readonly clock: Clock,
    @Settings('push') { maxBodyBytes }: { readonly maxBodyBytes: number },
    @Inject(PublicUrl) address: Pick<PublicUrl, 'ofA2a'>,
    @Optional() private readonly budget: ByteBudget = new ByteBudget(PAGES_BUDGET),
  ) {
    this.replays = new TaskReplays(log);
    this.limits = {
      maxBytes: maxBodyBytes,
      get publicUrl() {
        return address.ofA2a;
      },
    };
  }

  /**
   * Goes from the stream's position to the next log entry of interest, else to the end of the log. After
   * `forMs` it stops where it is, with nothing to send: the caller extends its lease and goes on from
   * there. An entry that ends many artifacts is given in pieces.
   */
  next(stream: DeliveryStream, forMs = Infinity): Promise<Reached> {
    const until = performance.now() + forMs;
    const isOver = (): boolean => performance.now() >= until;
    return this.budget.during((reservation) => this.read(stream, isOver, reservation));
  }

  /** The bytes of a delivery that has none: a snapshot, or one that is sent again. */
  render(stream: DeliveryStream, delivery: Source): Promise<WebhookBody> {
    const { taskId } = stream.webhook;
    const { seq } = delivery;
    const entry = async (reservation: ByteReservation): Promise<TaskEvent> => {
      const requested = { taskId, after: seq - 1, limit: 1, part: 'page' };
      const [event] = await readPage(this.log, requested, reservation);
      if (event?.seq !== seq) throw new LogGoneError(`The log has no entry ${seq}`);
      return event;
    };
    return this.budget.during((reservation) => {
      const task = (): Promise<Task> => this.replays.asOf(stream.id, taskId, seq, reservation);
      return this.bytesOf(stream, delivery, () => entry(reservation), task);
    });
  }

  /** Frees what was cached for a stream that is idle. */
  forget(streamId: string): void {
    this.replays.forget(streamId);
    this.halfKnown.delete(streamId);
    this.kept.forget(streamId);
  }

  private async read(
    stream: DeliveryStream,
    isOver: () => boolean,
    reservation: ByteReservation,
  ): Promise<Reached> {
    let cursor = stream.cursor ?? (await this.cursorAt(stream, isOver, reservation));
    let { nextSeq } = stream;
    const { taskId } = stream.webhook;
    if (cursor === null) return { nextSeq, cursor, deliveries: [] };
    const turns = logTurns();
    for (let limit = FIRST_PAGE; ;) {
      const kept = this.kept.take(stream.id, nextSeq);
      const requested = { taskId, after: nextSeq - 1, limit, part: 'page' };
      const page = kept ?? (await readPage(this.log, requested, reservation));
      for (const [i, event] of page.entries()) {
        const turn = turns.next(event.body.length);
        if (turn) await turn;
        const passed = await this.pass(stream, cursor, event, reservation);
        if (passed.deliveries.length > 0) {
          this.kept.keep(stream.id, page.slice(passed.nextSeq > event.seq ? i + 1 : i));
          // Stored before it is sent, so that the lease is extended first.
          const isReady = passed.ready !== undefined && !isOver();
          return isReady ? passed : { ...passed, ready: undefined };
        }
        ({ cursor, nextSeq } = passed);
      }
      const isEnd = kept === undefined && isLast(page, limit);
      if (isEnd || isOver()) return { nextSeq, cursor, deliveries: [] };
      if (kept === undefined) limit = nextLimit(page);
    }
  }

  /** What is delivered of this entry, and the position behind it (or behind a piece of it). */
  private async pass(
    stream: DeliveryStream,
    cursor: StreamCursor,
    event: TaskEvent,
    reservation: ByteReservation,
  ): Promise<Passed> {
    const { kind, seq } = event;
    if (isDamaged(event)) {
      const isDelivered = stream.webhook.states === undefined || kind !== 'artifact';
      return { nextSeq: seq + 1, cursor, deliveries: isDelivered ? [unreadable(stream, seq)] : [] };
    }
    const plan = planEntry(cursor, event, stream.webhook);
    // A 0.x body is the whole task, so one request contains all that one entry brought.
    const wanted = stream.webhook.version === '1.0' ? plan.deliveries : plan.deliveries.slice(-1);
    let replayed: Promise<Task> | undefined;
    // All artifacts of an entry are taken from one replay.
    const task = (): Promise<Task> =>
      (replayed ??= this.replays.asOf(stream.id, stream.webhook.taskId, seq, reservation));
    const deliveries = await this.drafts(stream, event, wanted, cursor.delivered ?? 0, task);
    if (deliveries.length < wanted.length) {
      const ids = wanted.slice(0, deliveries.length).flatMap(artifactIdOf);
      return { nextSeq: seq, cursor: deliveredArtifacts(cursor, ids), deliveries };
    }
    const ready = this.readyOf(stream, deliveries, event);
    return { nextSeq: seq + 1, cursor: plan.cursor, deliveries, ready };
  }

  /** See {@link Reached.ready}: no code, setting or other entry changes the bytes of an entry. */
  private readyOf(
    stream: DeliveryStream,
    [draft, ...others]: readonly DeliveryDraft[],
    { body }: TaskEvent,
  ): ReadyDelivery | undefined {
    if (others.length > 0 || draft?.kind !== 'event' || draft.body !== body) return undefined;
    const { seq, kind, artifactId, webhookId, contentType } = draft;
    if (contentType === null) return undefined;
    const ready = { seq, kind, artifactId, webhookId, body, contentType };
    return untried(stream, ready, this.ids.next(), this.clock.now());
  }

  /** The first of these deliveries, as many as are made at once; `delivered` came before them. */
  private async drafts(
    stream: DeliveryStream,
    event: TaskEvent,
    wanted: readonly PlannedDelivery[],
    delivered: number,
    task: () => Promise<Task>,
  ): Promise<DeliveryDraft[]> {
    const { streamId } = stream.webhook;
    const { seq } = event;
    const drafts: DeliveryDraft[] = [];
    let bytes = 0;
    for (const [i, delivery] of wanted.entries()) {
      if (i === PIECE || bytes >= PIECE_BYTES) break;
      const [artifactId = null] = artifactIdOf(delivery);
      const isOneOfMany = artifactId !== null && delivered + wanted.length > 1;
      const webhookId = eventWebhookId(streamId, seq, isOneOfMany ? delivered + i + 1 : undefined);
      const { kind } = delivery;
      const source = { seq, kind, artifactId };
      const { body, contentType } = await this.tryBytes(stream, source, event, task);
      bytes += body?.length ?? 0;
      drafts.push({ seq, kind, artifactId, webhookId, body, contentType });
    }
    return drafts;
  }

  /** Without bytes when they cannot be made: one bad event must not hold up the stream. */
  private async tryBytes(
    stream: DeliveryStream,
    source: Source,
    event: TaskEvent,
    task: () => Promise<Task>,
  ): Promise<Pick<DeliveryDraft, 'body' | 'contentType'>> {
    try {
      return await this.bytesOf(stream, source, () => event, task);
    } catch (error) {
      if (isPermanent(error)) return { body: null, contentType: null };
      throw error;
    }
  }

  private async bytesOf(
    { webhook }: DeliveryStream,
    { kind, artifactId }: Source,
    entry: () => TaskEvent | Promise<TaskEvent>,
    task: () => Promise<Task>,
  ): Promise<WebhookBody> {
    const { version, taskId } = webhook;
    if (kind === 'snapshot' || version !== '1.0') {
      return webhookBody(version, taskPayload(await task()), this.limits);
    }
    if (kind === 'artifact') {
      return webhookBody(version, artifactPayload(taskId, await task(), artifactId), this.limits);
    }
    const event = await entry();
    return wireBody(wireOf(event), () => payloadOf(event), this.limits);
  }

  /** What is known before the stream's position; null when `isOver` before it is: the next call goes on. */
  private async cursorAt(
    stream: DeliveryStream,
    isOver: () => boolean,
    reservation: ByteReservation,
  ): Promise<StreamCursor | null> {
    const { taskId } = stream.webhook;
    const last = stream.nextSeq - 1;
    const known = this.halfKnown.get(stream.id);
    this.halfKnown.delete(stream.id);
    let { seq, cursor } = known && known.seq <= last ? known : { seq: 0, cursor: LOG_START };
    while (seq < last) {
      const requested = { taskId, after: seq, limit: Math.min(PAGE, last - seq), part: 'page' };
      const page = await readHeaders(this.log, requested, reservation);
      if (page.length === 0) break;
      for (const entry of page) cursor = planEntry(cursor, entry).cursor;
      seq = page.at(-1)!.seq;
      if (seq < last && isOver()) {
        if (this.halfKnown.size >= MAX_HALF_KNOWN) this.halfKnown.clear();
        this.halfKnown.set(stream.id, { seq, cursor });
        return null;
      }
    }
    return cursor;
  }
}

function artifactIdOf(delivery: PlannedDelivery): string[] {
  return delivery.kind === 'artifact' ? [delivery.artifactId] : [];
}

/** It ends as a dead letter that says why, and the stream goes on behind it. */
function unreadable({ webhook }: DeliveryStream, seq: number): DeliveryDraft {
  const webhookId = eventWebhookId(webhook.streamId, seq);
  return { seq, kind: 'event', artifactId: null, webhookId, body: null, contentType: null };
}

function artifactPayload(
  taskId: string,
  task: Task,
  artifactId: string | null,
): NonNullable<StreamResponse['payload']> {
  // Delivery rows hold the id as the database can.
  const wanted = storable(artifactId);
  const artifact = task.artifacts.find((each) => storable(each.artifactId) === wanted);
  const { contextId } = task;
  const value = {
    taskId,
    contextId,
    artifact,
    append: false,
    lastChunk: true,
    metadata: undefined,
  };
  return { $case: 'artifactUpdate', value };
}
