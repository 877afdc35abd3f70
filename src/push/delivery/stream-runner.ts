import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { IdSource } from '../../common/ids.js';
import { Log } from '../../common/logger.js';
import { evictOldest } from '../../common/evict-oldest.js';
import { SecretLockedError } from '../../common/secret-box.js';
import { SecretUnavailableError } from '../../common/secret-references/secret-references.js';
import { Settings } from '../../config/index.js';
import { type DeliveryObserver, PushMetrics } from './push-metrics.js';
import { outcomeOf, resultOf, saidBy } from './attempt-outcome.js';
import { AttemptSender } from '../sending/attempt-sender.js';
import type { OpenDelivery, ReadyDelivery } from './delivery.js';
import { errorClassOf, verdictOf } from '../receivers/domain/attempt-verdict.js';
import type { RetrySchedule } from './domain/retry-schedule.js';
import { type AttemptDecision, decideAttempt } from './domain/attempt-decision.js';
import { failingForMs } from './domain/webhook-health.js';
import { type BodyReservation, SendBudget } from './send-budget.js';
import { OverBudgetError } from '../../common/byte-budget.js';
import { DeliveryReader, isPermanent } from './delivery-reader.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { Gathering } from './gathering.js';
import type { SendPermit } from './send-permits.js';
import { StreamTurn, leaseMs } from './stream-turn.js';
import {
  type DeliveryStream,
  DeliveryStreamStore,
  type Reached,
  type StepResult,
} from './delivery-stream-store.js';
import { ReceiverGate } from '../receivers/receiver-gate.js';
import type { Wait } from '../receivers/receiver-store.js';
import type { WebhookAnswer } from '../sending/webhook-sender.js';

/** The delay before a stream is looked at again after an error of the hub's own. */
const TROUBLE_PAUSE_MS = 5000;
/** The same while its secret cannot be had: that takes a restart with the right key, or a source of references that can be read. */
const LOCKED_PAUSE_MS = 30_000;
/** A reference that keeps webhooks waiting is reported so often, however many streams wait for it. */
const UNREAD_EVERY_MS = 10 * 60_000;
/** Such references that are remembered. */
const MOST_UNREAD = 1000;
/** The same while large tasks of other streams take the memory there is for them. */
const CROWDED_PAUSE_MS = 1000;
/** Streams that wait for their principal's limit come back spread over this time. */
const PRINCIPAL_SPREAD_MS = 15_000;

/** What a stream has of the permits of its process. */
export type StreamPermit = Pick<SendPermit, 'regain' | 'lend'>;

export interface RunnerSettings extends RetrySchedule {
  /** How long one attempt may take in all; a lease is twice that. */
  readonly timeoutMs: number;
  /** After so long of nothing but failures a webhook is disabled. */
  readonly disableAfterMs: number;
}

/** What one step of a stream has. */
interface Step {
  readonly reservation: BodyReservation;
  readonly permit: StreamPermit;
  /** Cuts the attempt under way. */
  readonly signal: AbortSignal;
}

/** Delivers what one claimed stream has left, in order, until there is nothing more. */
@Injectable()
export class StreamRunner {
  private readonly recorder: AttemptRecorder;
  private readonly recorded = new Gathering();
  /** When it was last reported, by what is wrong with a reference. */
  private readonly unreadReportedAt = new Map<string, number>();

  constructor(
    private readonly streams: DeliveryStreamStore,
    private readonly reader: DeliveryReader,
    private readonly sender: AttemptSender,
    private readonly clock: Clock,
    private readonly ids: IdSource,
    private readonly log: Log,
    @Settings('push') private readonly settings: RunnerSettings,
    @Inject(PushMetrics) private readonly observer: DeliveryObserver,
    @Inject(ReceiverGate) private readonly gate: Pick<ReceiverGate, 'waitOf' | 'admit'>,
    @Inject(SendBudget) private readonly bodies: Pick<SendBudget, 'during'>,
  ) {
    this.recorder = new AttemptRecorder(streams, clock, log, settings, observer);
  }

  /**
   * Never rejects. A stream that always has more to deliver makes way for those that wait, and goes behind
   * them; each attempt needs the `permit`. With `stopping` aborted the stream is given back at the next
   * step; with `cutting` aborted the attempt under way is cut as well, as if it had not been made.
   */
  async run(
    stream: DeliveryStream,
    permit: StreamPermit,
    stopping: AbortSignal,
    cutting: AbortSignal,
  ): Promise<void> {
    let step: StepResult = stream;
    if (stream.dueSince) {
      const waitedMs = this.clock.now().getTime() - stream.dueSince.getTime();
      this.observer.claimed(Math.max(0, waitedMs));
    }
    try {
      const turn = new StreamTurn(this.streams, this.clock);
      while (typeof step === 'object') {
        stream = step;
        // What is kept of the log for the stream stays, as it is about to go on from there.
        const mayGoOn = (await permit.regain()) && !stopping.aborted && !(await turn.isOver());
        if (!mayGoOn) {
          const unbegun = stream.isPrefetched ? stream.dueSince : null;
          return await this.streams.release(stream, unbegun ?? this.clock.now());
        }
        const current = stream;
        const { organization } = current.webhook;
        step = await this.bodies.during(organization, (reservation) =>
          this.step(current, { reservation, permit, signal: cutting }),
        );
      }
      this.reader.forget(stream.id);
      // The process that took the stream did not take its probe, which another stream may have at once.
      if (step === 'lost' && stream.probeUntil)
        await this.streams.release(stream, this.clock.now());
    } catch (error) {
      const { configId, taskId } = stream.webhook;
      if (error instanceof SecretLockedError) {
        this.reportLocked(error, { taskId, configId });
        return await this.giveBack(stream, LOCKED_PAUSE_MS);
      }
      // It is tried again in a moment; meanwhile its permit goes to another stream.
      if (error instanceof OverBudgetError) return await this.giveBack(stream, CROWDED_PAUSE_MS);
      this.log.error(
        { err: error, taskId, configId },
        'sending a webhook failed inside the hub; trying again in a moment',
      );
      await this.giveBack(stream);
    }
  }

  private reportLocked(error: SecretLockedError, webhook: object): void {
    const { keyId, message: reason } = error;
    if (!(error instanceof SecretUnavailableError)) {
      // That a key is missing is logged as an error once for all streams.
      const words = 'a webhook cannot be sent until the key of its secret is available';
      this.log.debug({ keyId, ...webhook }, words);
      return;
    }
    const words = 'webhooks wait for a secret that is referred to, and are sent once it can be had';
    const now = this.clock.now().getTime();
    const reportedAt = this.unreadReportedAt.get(reason) ?? -Infinity;
    if (Math.abs(now - reportedAt) < UNREAD_EVERY_MS) {
      this.log.debug({ reason, ...webhook }, words);
      return;
    }
    this.unreadReportedAt.delete(reason);
    evictOldest(this.unreadReportedAt, MOST_UNREAD);
    this.unreadReportedAt.set(reason, now);
    this.log.warn({ reason, ...webhook }, words);
  }

  private async step(stream: DeliveryStream, step: Step): Promise<StepResult> {
    const { reservation, signal } = step;
    const wait = await this.gate.waitOf(stream.webhook, signal);
    if (wait) return signal.aborted ? this.makeWay(stream) : this.postpone(stream, wait);
    if (stream.open === 0) return this.readOn(stream, step);
    // Read with the claim, right before it is sent: nothing is sent with an outdated registration.
    const delivery = await this.streams.firstOpen(stream.id, stream.epoch, reservation.reserve);
    const now = this.clock.now();
    if (!delivery) return this.streams.recount(stream, now, this.lease());
    if (!stream.isEarly && delivery.nextAttemptAt && delivery.nextAttemptAt > now) {
      await this.streams.release(stream, delivery.nextAttemptAt);
      return 'idle';
    }
    const ready = await this.withBody(stream, delivery, reservation);
    if (typeof ready === 'string') {
      return ready === 'lost' ? ready : this.recordUnsent(stream, delivery, ready, signal);
    }
    return this.attempt(stream, ready, step);
  }

  /**
   * What the log has for the stream is stored before it is sent, unless the log itself holds the bytes:
   * then one write records delivery, attempt and position. A process that takes the stream over from one that ended
   * before that write finds the same delivery in the log, with the same id, number and bytes.
   */
  private async readOn(stream: DeliveryStream, step: Step): Promise<StepResult> {
    const reached = await this.reader.next(stream, this.settings.timeoutMs / 4);
    await step.reservation.reserveMade(bytesOf(reached.deliveries));
    const { ready } = reached;
    if (!ready) return this.streams.advance(stream, reached, this.clock.now(), this.lease());
    // Asked right before it is sent: nothing is sent with an outdated registration.
    if (!(await this.streams.isClaimed(stream))) return 'lost';
    return this.attempt(stream, ready, step, reached);
  }

  /** The delivery with its bytes; `lost`, or why they cannot be made any more. */
  private async withBody(
    stream: DeliveryStream,
    delivery: OpenDelivery,
    reservation: BodyReservation,
  ): Promise<ReadyDelivery | string> {
    const { body, contentType } = delivery;
    if (body !== null && contentType !== null) return { ...delivery, body, contentType };
    try {
      const made = await this.reader.render(stream, delivery);
      await reservation.reserveMade(bytesOf([made]));
      const kept = await this.streams.keepBody(stream, delivery.id, made.body, made.contentType);
      return kept ? { ...delivery, ...made } : 'lost';
    } catch (error) {
      if (isPermanent(error)) return error.message;
      throw error;
    }
  }

  private async attempt(
    stream: DeliveryStream,
    delivery: ReadyDelivery,
    { permit, signal }: Step,
    reached?: Reached,
  ): Promise<StepResult> {
    if (this.mayOutlastLease(stream)) return this.makeWay(stream);
    const wait = await this.gate.admit(stream.webhook, Buffer.byteLength(delivery.body), signal);
    if (wait) return signal.aborted ? this.makeWay(stream) : this.postpone(stream, wait);
    // It may have been asked whether it agrees, which takes as long as an attempt.
    if (this.mayOutlastLease(stream)) return this.makeWay(stream);
    const at = this.clock.now();
    const number = delivery.attempts + 1;
    const began = performance.now();
    const answer = await this.send(stream, delivery, number, at, signal);
    const durationMs = verdictOf(answer.status) === 'retry' ? null : performance.now() - began;
    // While others send, outcomes gather, so that one commit records many.
    if (permit.lend(durationMs)) await this.recorded.join();
    if (signal.aborted && answer.status === null) return this.makeWay(stream);
    if (answer.isPermanent) {
      const reason = answer.detail ?? 'it has no proof';
      return this.recordUnsent(stream, delivery, reason, signal, reached);
    }
    const attempt = {
      number,
      at,
      durationMs: answer.durationMs,
      isRounded: answer.isGuarded === true,
      status: answer.status,
      error: errorClassOf(answer.status, answer.error),
      response: answer.response,
    };
    const decision = this.decideAttempt(stream, delivery, answer, at);
    const now = this.clock.now();
    const result = resultOf(decision, now);
    const outcome = outcomeOf(answer, decision, at);
    const isHubTrouble = answer.hubTrouble !== undefined;
    const attemptRecord = { delivery, reached, attempt, outcome, result, isHubTrouble };
    return this.recorder.record(stream, attemptRecord, signal);
  }

  /** A lease that could end before the answer would let another process send what follows meanwhile. */
  private mayOutlastLease({ leaseUntil }: DeliveryStream): boolean {
    return this.clock.now().getTime() > leaseUntil.getTime() - this.settings.timeoutMs;
  }

  private async makeWay(stream: DeliveryStream): Promise<'idle'> {
    await this.streams.release(stream, this.clock.now());
    return 'idle';
  }

  /** What it has to deliver waits, as it is; its permit goes to another stream meanwhile. */
  private async postpone(stream: DeliveryStream, { until, of }: Wait): Promise<'idle'> {
    const now = this.clock.now();
    if (of === 'receiver') await this.streams.postpone(stream, until, now);
    else {
      // Many wait for the same moment: they come back one after another.
      const spreadMs = PRINCIPAL_SPREAD_MS * this.ids.jitter();
      const waitMs = Math.max(until.getTime() - now.getTime(), 0) + spreadMs;
      await this.streams.release(stream, new Date(now.getTime() + waitMs));
    }
    return 'idle';
  }

  private decideAttempt(
    { webhook }: DeliveryStream,
    delivery: OpenDelivery,
    answer: WebhookAnswer,
    at: Date,
  ): AttemptDecision {
    const said = saidBy(answer);
    const verdict = verdictOf(answer.status);
    this.observer.attempted(verdict, answer.durationMs);
    const { nextAttemptAt } = delivery;
    const now = this.clock.now();
    return decideAttempt(
      {
        verdict,
        said,
        tries: delivery.tries + 1,
        rejections: delivery.rejections + (verdict === 'rejected' ? 1 : 0),
        retryAfterMs: answer.retryAfterMs,
        earlyMs:
          nextAttemptAt && nextAttemptAt > at
            ? Math.max(0, nextAttemptAt.getTime() - now.getTime())
            : null,
        failingForMs: answer.hubTrouble
          ? 0
          : failingForMs(webhook, now, this.settings.disableAfterMs),
      },
      this.settings,
      this.ids.jitter(),
    );
  }

  private send(
    stream: DeliveryStream,
    delivery: ReadyDelivery,
    attempt: number,
    at: Date,
    signal: AbortSignal,
  ): Promise<WebhookAnswer> {
    const { contentType, webhookId, seq, number, redelivered, body } = delivery;
    const gapSeq = redelivered ? null : stream.gapSeq;
    const facts = { contentType, webhookId, at, attempt, seq, number, gapSeq };
    return this.sender.send(stream.webhook, facts, body, signal);
  }

  private recordUnsent(
    stream: DeliveryStream,
    delivery: OpenDelivery,
    reason: string,
    signal: AbortSignal,
    reached?: Reached,
  ): Promise<StepResult> {
    const result = { state: 'dead' as const, reason, effect: 'none' as const };
    return this.recorder.record(stream, { delivery, reached, attempt: null, result }, signal);
  }

  private async giveBack(stream: DeliveryStream, pauseMs = TROUBLE_PAUSE_MS): Promise<void> {
    const dueAt = new Date(this.clock.now().getTime() + pauseMs);
    try {
      await this.streams.release(stream, dueAt);
    } catch (error) {
      // The lease runs out by itself.
      this.log.warn(
        { err: error },
        'the lease of a webhook could not be released; it expires by itself',
      );
    }
  }

  private lease(): Date {
    return new Date(this.clock.now().getTime() + leaseMs(this.settings));
  }
}

function bytesOf(bodies: readonly { readonly body: string | null }[]): number {
  return bodies.reduce((sum, { body }) => sum + (body === null ? 0 : Buffer.byteLength(body)), 0);
}
