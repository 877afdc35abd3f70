import type { Clock } from '../../common/clock.js';
import type { Log } from '../../common/logger.js';
import type {
  AttemptRecord,
  DeliveryStream,
  DeliveryStreamStore,
  StepResult,
} from './delivery-stream-store.js';
import type { DeliveryObserver } from './push-metrics.js';
import { leaseMs } from './stream-turn.js';

/** The pauses before an attempt is recorded again that the database did not take: they double. */
const RECORD_PAUSE_MS = 100;
const MAX_RECORD_PAUSE_MS = 2000;

/** Records how attempts ended, and reports what ended with them. */
export class AttemptRecorder {
  constructor(
    private readonly streams: DeliveryStreamStore,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly settings: { readonly timeoutMs: number },
    private readonly observer: DeliveryObserver,
  ) {}

  /**
   * Records the outcome of an attempt. A database that is away for a moment is tried again while the
   * claim holds, so that the receiver need not get it twice.
   */
  async record(
    stream: DeliveryStream,
    attemptRecord: AttemptRecord,
    signal: AbortSignal,
  ): Promise<StepResult> {
    let isRepeated = false;
    for (let pause = RECORD_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_RECORD_PAUSE_MS)) {
      try {
        const step = await this.streams.recordAttempt(
          stream,
          attemptRecord,
          this.clock.now(),
          new Date(this.clock.now().getTime() + leaseMs(this.settings)),
        );
        if (step !== 'lost') this.report(stream, attemptRecord);
        // The first write may have been committed although its answer was lost; then the claim still holds.
        else if (isRepeated) await this.streams.release(stream, this.clock.now());
        return step;
      } catch (error) {
        const isOver = this.clock.now().getTime() + pause >= stream.leaseUntil.getTime();
        if (isOver || signal.aborted) throw error;
        this.log.warn({ err: error }, 'a webhook attempt could not be recorded; trying again');
        isRepeated = true;
        await this.clock.sleep(pause, signal);
      }
    }
  }

  private report({ webhook, dueSince }: DeliveryStream, { delivery, result }: AttemptRecord): void {
    const madeAt = delivery.createdAt.getTime();
    const dueAt = Math.min(madeAt, dueSince?.getTime() ?? madeAt);
    // One that was given up waited for whoever asked for it again, not for the hub or its receiver.
    const lagMs = delivery.redelivered ? null : this.clock.now().getTime() - dueAt;
    this.observer.recorded(result.state, webhook.organization, lagMs);
    if (result.state !== 'dead') return;
    const { taskId, configId } = webhook;
    const { id: deliveryId, seq } = delivery;
    this.log.warn(
      { taskId, configId, deliveryId, seq, reason: result.reason },
      'a webhook delivery became a dead letter',
    );
  }
}
