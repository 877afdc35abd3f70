import type { Clock } from '../common/clock.js';
import type { IdSource } from '../common/ids.js';
import type { Log } from '../common/logger.js';
import type { SecretBox } from '../common/secret-box.js';
import type { OpenDelivery } from './delivery.js';
import { secretForms } from './domain/auth-scheme.js';
import { errorClassOf, verdictOf } from './domain/attempt-verdict.js';
import type { RetrySchedule } from './domain/retry-schedule.js';
import { consequenceOf } from './domain/settlement.js';
import { webhookHeaders } from './domain/webhook-headers.js';
import { type LaneReader, isHopeless } from './lane-reader.js';
import type { Lane, LaneStore, Settlement, StepResult } from './lane-store.js';
import type { WebhookAnswer, WebhookSender } from './webhook-sender.js';

/** The delay before a lane is looked at again after an error of the hub's own. */
const TROUBLE_PAUSE_MS = 5000;

export interface RunnerSettings extends RetrySchedule {
  /** How long one attempt may take in all; a lease is twice that. */
  readonly timeoutMs: number;
}

/** Tells one claimed lane's webhook what it has not heard, in order, until there is nothing left. */
export class LaneRunner {
  constructor(
    private readonly lanes: LaneStore,
    private readonly reader: LaneReader,
    private readonly sender: WebhookSender,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
    private readonly ids: IdSource,
    private readonly log: Log,
    private readonly settings: RunnerSettings,
  ) {}

  /**
   * Never rejects. With `stopping` aborted the lane is given back at the next step; with `cutting`
   * aborted the attempt under way is cut as well, as if it had not been made.
   */
  async run(lane: Lane, stopping: AbortSignal, cutting: AbortSignal): Promise<void> {
    let step: StepResult = lane;
    try {
      while (typeof step === 'object') {
        lane = step;
        if (stopping.aborted) return await this.lanes.release(lane, this.clock.now());
        step = await this.step(lane, cutting);
      }
      this.reader.forget(lane.id);
    } catch (error) {
      const { configId, taskId } = lane.config;
      this.log.error(
        { err: error, taskId, configId },
        'a webhook lane stopped; it is tried again soon',
      );
      await this.giveBack(lane);
    }
  }

  private async step(lane: Lane, signal: AbortSignal): Promise<StepResult> {
    if (lane.open === 0) {
      const reached = await this.reader.next(lane);
      return this.lanes.reach(lane, reached, this.clock.now(), this.lease());
    }
    const delivery = await this.lanes.firstOpen(lane.id);
    if (!delivery) return 'lost';
    const now = this.clock.now();
    if (delivery.nextAttemptAt && delivery.nextAttemptAt > now) {
      await this.lanes.release(lane, delivery.nextAttemptAt);
      return 'rests';
    }
    const ready = await this.withBody(lane, delivery);
    if (typeof ready === 'string') {
      return ready === 'lost' ? ready : this.settleUnsent(lane, delivery, ready);
    }
    // A lease that could end before the answer would let somebody else send what follows meanwhile.
    if (this.clock.now().getTime() > lane.leaseUntil.getTime() - this.settings.timeoutMs) {
      await this.lanes.release(lane, this.clock.now());
      return 'rests';
    }
    return this.attempt(lane, ready, signal);
  }

  /** The delivery with its bytes; `lost`, or why they cannot be made any more. */
  private async withBody(lane: Lane, delivery: OpenDelivery): Promise<ReadyDelivery | string> {
    const { body, contentType } = delivery;
    if (body !== null && contentType !== null) return { ...delivery, body, contentType };
    try {
      const made = await this.reader.render(lane, delivery);
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
  ): Promise<StepResult> {
    const at = this.clock.now();
    const number = delivery.attempts + 1;
    const answer = await this.send(lane, delivery, number, at, signal);
    if (signal.aborted && answer.status === null) {
      await this.lanes.release(lane, this.clock.now());
      return 'rests';
    }
    const attempt = {
      number,
      at,
      durationMs: answer.durationMs,
      status: answer.status,
      error: errorClassOf(answer.status, answer.error),
      response: answer.response,
    };
    const said = answer.status === null ? (answer.detail ?? 'no answer') : `HTTP ${answer.status}`;
    const verdict = verdictOf(answer.status);
    const consequence = consequenceOf(
      {
        verdict,
        said,
        tries: delivery.tries + 1,
        rejections: delivery.rejections + (verdict === 'rejected' ? 1 : 0),
        retryAfterMs: answer.retryAfterMs,
      },
      this.settings,
      this.ids.jitter(),
    );
    const now = this.clock.now();
    const result: Settlement['result'] =
      consequence.state === 'retrying'
        ? {
            state: 'retrying',
            at: new Date(now.getTime() + consequence.delayMs),
            reason: consequence.reason,
          }
        : consequence;
    this.report(lane, delivery, result);
    return this.lanes.settle(lane, { delivery, attempt, result }, now, this.lease());
  }

  private send(
    lane: Lane,
    delivery: ReadyDelivery,
    attempt: number,
    at: Date,
    signal: AbortSignal,
  ): Promise<WebhookAnswer> {
    const { config } = lane;
    const credentials = this.opened(config.sealedCredentials);
    const token = this.opened(config.sealedToken);
    const authentication =
      config.authScheme && credentials !== null ? { scheme: config.authScheme, credentials } : null;
    const headers = webhookHeaders({
      version: config.version,
      contentType: delivery.contentType,
      webhookId: delivery.webhookId,
      at,
      attempt,
      seq: delivery.seq,
      number: delivery.number,
      gapSeq: delivery.redelivered ? null : lane.gapSeq,
      traceparent: config.traceparent,
      authentication,
      token,
    });
    const secrets = [
      ...(authentication ? secretForms(authentication.scheme, authentication.credentials) : []),
      ...(token === null ? [] : [token]),
    ];
    return this.sender.send({ url: config.url, headers, body: delivery.body, secrets }, signal);
  }

  private settleUnsent(lane: Lane, delivery: OpenDelivery, reason: string): Promise<StepResult> {
    const result = { state: 'dead' as const, reason, consequence: 'none' as const };
    this.report(lane, delivery, result);
    const settlement = { delivery, attempt: null, result };
    return this.lanes.settle(lane, settlement, this.clock.now(), this.lease());
  }

  private report(lane: Lane, delivery: OpenDelivery, result: Settlement['result']): void {
    if (result.state !== 'dead') return;
    this.log.warn(
      {
        taskId: lane.config.taskId,
        configId: lane.config.configId,
        deliveryId: delivery.id,
        seq: delivery.seq,
        reason: result.reason,
      },
      'a webhook delivery is a dead letter',
    );
  }

  private async giveBack(lane: Lane): Promise<void> {
    const dueAt = new Date(this.clock.now().getTime() + TROUBLE_PAUSE_MS);
    try {
      await this.lanes.release(lane, dueAt);
    } catch (error) {
      // The lease runs out by itself.
      this.log.warn({ err: error }, 'a webhook lane could not be given back');
    }
  }

  private opened(sealed: string | null): string | null {
    return sealed === null ? null : this.secrets.open(sealed);
  }

  private lease(): Date {
    return new Date(this.clock.now().getTime() + leaseMs(this.settings));
  }
}

type ReadyDelivery = OpenDelivery & { readonly body: string; readonly contentType: string };

/** How long a claim holds without news: twice an attempt's time. */
export function leaseMs(settings: Pick<RunnerSettings, 'timeoutMs'>): number {
  return 2 * settings.timeoutMs;
}
