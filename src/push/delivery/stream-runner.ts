import type { Clock } from '../../common/clock.js';
import type { IdSource } from '../../common/ids.js';
import type { Log } from '../../common/logger.js';
import { SecretLockedError } from '../../common/secret-box.js';
import { outcomeOf, saidBy } from './attempt-outcome.js';
import type { AttemptSender } from '../sending/attempt-sender.js';
import type { OpenDelivery } from './delivery.js';
import { errorClassOf, verdictOf } from './domain/attempt-verdict.js';
import type { RetrySchedule } from './domain/retry-schedule.js';
import { type Consequence, consequenceOf } from './domain/attempt-decision.js';
import { failingForMs } from './domain/webhook-health.js';
import { type BodyRoom, BodyRooms } from './body-budget.js';
import { NoRoomError } from './byte-budget.js';
import { type LaneReader, isHopeless } from './stream-reader.js';
import { type ReadyDelivery, loggedDelivery } from './logged-delivery.js';
import { type DeliveryObserver, NOBODY } from './delivery-observer.js';
import { LaneTurn } from './stream-turn.js';
import type { Lane, LaneStore, Reached, Settlement, StepResult } from './delivery-stream-store.js';
import { OPEN_GATE, type ReceiverGate } from '../receivers/receiver-gate.js';
import type { Held } from '../receivers/receiver-store.js';
import type { WebhookAnswer } from '../sending/webhook-sender.js';

/** The delay before a lane is looked at again after an error of the hub's own. */
const TROUBLE_PAUSE_MS = 5000;
/** The same while its secret cannot be opened: only a restart with the right key changes that. */
const LOCKED_PAUSE_MS = 30_000;
/** The same while large tasks of other lanes take the memory there is for them. */
const CROWDED_PAUSE_MS = 1000;
/** The pauses before an attempt is recorded again that the database did not take: they double. */
const RECORD_PAUSE_MS = 100;
const MAX_RECORD_PAUSE_MS = 2000;

/** Over so long those come back that wait for what their principal may send. */
const PRINCIPAL_SPREAD_MS = 15_000;

export interface RunnerSettings extends RetrySchedule {
  /** How long one attempt may take in all; a lease is twice that. */
  readonly timeoutMs: number;
  /** After so long of nothing but failures a webhook is disabled. */
  readonly disableAfterMs: number;
}

/** Tells one claimed lane's webhook what it has not heard, in order, until there is nothing left. */
export class LaneRunner {
  constructor(
    private readonly lanes: LaneStore,
    private readonly reader: LaneReader,
    private readonly sender: AttemptSender,
    private readonly clock: Clock,
    private readonly ids: IdSource,
    private readonly log: Log,
    private readonly settings: RunnerSettings,
    private readonly observer: DeliveryObserver = NOBODY,
    private readonly gate: Pick<ReceiverGate, 'waitOf' | 'admit'> = OPEN_GATE,
    private readonly rooms = new BodyRooms(),
  ) {}

  /**
   * Never rejects. A lane that always has more to tell makes way for those that wait, and goes behind
   * them. With `stopping` aborted the lane is given back at the next step; with `cutting`
   * aborted the attempt under way is cut as well, as if it had not been made.
   */
  async run(lane: Lane, stopping: AbortSignal, cutting: AbortSignal): Promise<void> {
    let step: StepResult = lane;
    if (lane.dueSince) {
      const waitedMs = this.clock.now().getTime() - lane.dueSince.getTime();
      this.observer.claimed(Math.max(0, waitedMs));
    }
    try {
      const turn = new LaneTurn(this.lanes, this.clock);
      while (typeof step === 'object') {
        lane = step;
        // What is kept of the log for the lane stays, as it is about to go on from there.
        if (stopping.aborted || (await turn.isOver()))
          return await this.lanes.release(lane, this.clock.now());
        const now = lane;
        const { organization } = now.webhook;
        step = await this.rooms.during(organization, (room) => this.step(now, room, cutting));
      }
      this.reader.forget(lane.id);
      // Whoever took the lane did not take its trial, which another lane may have at once.
      if (step === 'lost' && lane.trialUntil) await this.lanes.release(lane, this.clock.now());
    } catch (error) {
      const { configId, taskId } = lane.webhook;
      if (error instanceof SecretLockedError) {
        // That a key is missing is said loudly for all lanes together.
        this.log.debug(
          { taskId, configId, keyId: error.keyId },
          'a webhook cannot be sent until the key of its secret is available',
        );
        return await this.giveBack(lane, LOCKED_PAUSE_MS);
      }
      // Its turn comes; meanwhile its place is another lane's.
      if (error instanceof NoRoomError) return await this.giveBack(lane, CROWDED_PAUSE_MS);
      this.log.error(
        { err: error, taskId, configId },
        'sending a webhook failed inside the hub; trying again in a moment',
      );
      await this.giveBack(lane);
    }
  }

  private async step(lane: Lane, room: BodyRoom, signal: AbortSignal): Promise<StepResult> {
    const wait = await this.gate.waitOf(lane.webhook);
    if (wait) return this.hold(lane, wait);
    if (lane.open === 0) return this.readOn(lane, room, signal);
    // Read with the claim, right before it is sent: nothing is sent with an outdated registration.
    const delivery = await this.lanes.firstOpen(lane.id, lane.epoch, room.take);
    const now = this.clock.now();
    if (!delivery) return this.lanes.recount(lane, now, this.lease());
    if (!lane.isEarly && delivery.nextAttemptAt && delivery.nextAttemptAt > now) {
      await this.lanes.release(lane, delivery.nextAttemptAt);
      return 'rests';
    }
    const ready = await this.withBody(lane, delivery, room);
    if (typeof ready === 'string') {
      return ready === 'lost' ? ready : this.settleUnsent(lane, delivery, ready, signal);
    }
    return this.attempt(lane, ready, signal);
  }

  /**
   * What the log has for the lane is stored before it is sent, unless the log itself holds the bytes:
   * then one write records delivery, attempt and place. Whoever takes the lane of a process that ended
   * before that write finds the same delivery in the log, with the same id, number and bytes.
   */
  private async readOn(lane: Lane, room: BodyRoom, signal: AbortSignal): Promise<StepResult> {
    const reached = await this.reader.next(lane, this.settings.timeoutMs / 4);
    await room.keep(bytesOf(reached.deliveries));
    const delivery = loggedDelivery(lane, reached, this.ids.next(), this.clock.now());
    if (!delivery) return this.lanes.reach(lane, reached, this.clock.now(), this.lease());
    // Asked right before it is sent: nothing is sent with an outdated registration.
    if (!(await this.lanes.holds(lane))) return 'lost';
    return this.attempt(lane, delivery, signal, reached);
  }

  /** The delivery with its bytes; `lost`, or why they cannot be made any more. */
  private async withBody(
    lane: Lane,
    delivery: OpenDelivery,
    room: BodyRoom,
  ): Promise<ReadyDelivery | string> {
    const { body, contentType } = delivery;
    if (body !== null && contentType !== null) return { ...delivery, body, contentType };
    try {
      const made = await this.reader.render(lane, delivery);
      await room.keep(bytesOf([made]));
      const kept = await this.lanes.keepBody(lane, delivery.id, made.body, made.contentType);
      return kept ? { ...delivery, ...made } : 'lost';
    } catch (error) {
      if (isHopeless(error)) return error.message;
      throw error;
    }
  }

  private async attempt(
    lane: Lane,
    delivery: ReadyDelivery,
    signal: AbortSignal,
    reached?: Reached,
  ): Promise<StepResult> {
    const at = this.clock.now();
    // A lease that could end before the answer would let somebody else send what follows meanwhile.
    if (at.getTime() > lane.leaseUntil.getTime() - this.settings.timeoutMs) {
      await this.lanes.release(lane, at);
      return 'rests';
    }
    const wait = await this.gate.admit(lane.webhook, Buffer.byteLength(delivery.body));
    if (wait) return this.hold(lane, wait);
    const number = delivery.attempts + 1;
    const answer = await this.send(lane, delivery, number, at, signal);
    if (signal.aborted && answer.status === null) {
      await this.lanes.release(lane, this.clock.now());
      return 'rests';
    }
    if (answer.hopeless) {
      const reason = answer.detail ?? 'it has no proof';
      return this.settleUnsent(lane, delivery, reason, signal, reached);
    }
    const attempt = {
      number,
      at,
      durationMs: answer.durationMs,
      status: answer.status,
      error: errorClassOf(answer.status, answer.error),
      response: answer.response,
    };
    const consequence = this.consequenceOf(lane, delivery, answer, at);
    const now = this.clock.now();
    const result: Settlement['result'] =
      consequence.state === 'retrying'
        ? {
            state: 'retrying',
            at: new Date(now.getTime() + consequence.delayMs),
            reason: consequence.reason,
            isEarly: consequence.isEarly,
          }
        : consequence;
    const outcome = outcomeOf(answer, consequence, at);
    const isHubTrouble = answer.hubTrouble !== undefined;
    const settlement = { delivery, reached, attempt, outcome, result, isHubTrouble };
    return this.record(lane, settlement, signal);
  }

  /** What it has to tell waits, as it is; its place is another lane's meanwhile. */
  private async hold(lane: Lane, { until, of }: Held): Promise<'rests'> {
    const now = this.clock.now();
    if (of === 'receiver') await this.lanes.hold(lane, until, now);
    else {
      // Many wait for the same moment: they come back one after another.
      const spreadMs = PRINCIPAL_SPREAD_MS * this.ids.jitter();
      const waitMs = Math.max(until.getTime() - now.getTime(), 0) + spreadMs;
      await this.lanes.release(lane, new Date(now.getTime() + waitMs));
    }
    return 'rests';
  }

  private consequenceOf(
    { webhook }: Lane,
    delivery: OpenDelivery,
    answer: WebhookAnswer,
    at: Date,
  ): Consequence {
    const said = saidBy(answer);
    const verdict = verdictOf(answer.status);
    this.observer.attempted(verdict, answer.durationMs);
    const { nextAttemptAt } = delivery;
    const now = this.clock.now();
    return consequenceOf(
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

  /**
   * Writes down what came of a delivery. A database that is away for a moment is asked again while the
   * claim holds, so that the receiver need not get it twice.
   */
  private async record(
    lane: Lane,
    settlement: Settlement,
    signal: AbortSignal,
  ): Promise<StepResult> {
    let isRepeated = false;
    for (let pause = RECORD_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_RECORD_PAUSE_MS)) {
      try {
        const step = await this.lanes.settle(lane, settlement, this.clock.now(), this.lease());
        if (step !== 'lost') this.report(lane, settlement);
        // The first write may have arrived without our hearing of it; then the lane is still ours.
        else if (isRepeated) await this.lanes.release(lane, this.clock.now());
        return step;
      } catch (error) {
        const isOver = this.clock.now().getTime() + pause >= lane.leaseUntil.getTime();
        if (isOver || signal.aborted) throw error;
        this.log.warn({ err: error }, 'a webhook attempt could not be recorded; trying again');
        isRepeated = true;
        await this.clock.sleep(pause, signal);
      }
    }
  }

  private send(
    lane: Lane,
    delivery: ReadyDelivery,
    attempt: number,
    at: Date,
    signal: AbortSignal,
  ): Promise<WebhookAnswer> {
    const { contentType, webhookId, seq, number, redelivered, body } = delivery;
    const gapSeq = redelivered ? null : lane.gapSeq;
    const facts = { contentType, webhookId, at, attempt, seq, number, gapSeq };
    return this.sender.send(lane.webhook, facts, body, signal);
  }

  private settleUnsent(
    lane: Lane,
    delivery: OpenDelivery,
    reason: string,
    signal: AbortSignal,
    reached?: Reached,
  ): Promise<StepResult> {
    const result = { state: 'dead' as const, reason, consequence: 'none' as const };
    return this.record(lane, { delivery, reached, attempt: null, result }, signal);
  }

  private report({ webhook }: Lane, { delivery, result }: Settlement): void {
    if (result.state === 'retrying') return;
    this.observer.ended(result.state);
    if (result.state !== 'dead') return;
    const { taskId, configId } = webhook;
    const { id: deliveryId, seq } = delivery;
    this.log.warn(
      { taskId, configId, deliveryId, seq, reason: result.reason },
      'a webhook delivery became a dead letter',
    );
  }

  private async giveBack(lane: Lane, pauseMs = TROUBLE_PAUSE_MS): Promise<void> {
    const dueAt = new Date(this.clock.now().getTime() + pauseMs);
    try {
      await this.lanes.release(lane, dueAt);
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

/** How long a claim holds without news: twice an attempt's time. */
export function leaseMs(settings: Pick<RunnerSettings, 'timeoutMs'>): number {
  return 2 * settings.timeoutMs;
}
