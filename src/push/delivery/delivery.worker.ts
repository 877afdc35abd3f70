import { Inject, Injectable } from '@nestjs/common';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { IdSource } from '../../common/ids.js';
import { Log } from '../../common/logger.js';
import { Settings } from '../../config/index.js';
import { Database } from '../../database/database.js';
import { DeliveryCleanup } from './delivery-cleanup.js';
import { leaseMs } from './stream-turn.js';
import { StreamRunner } from './stream-runner.js';
import { type DeliveryStream, DeliveryStreamStore } from './delivery-stream-store.js';
import { PushWakeup } from './push-wakeup.js';
import { SendPermits } from './send-permits.js';

export interface WorkerSettings {
  readonly timeoutMs: number;
  readonly maxConcurrent: number;
  readonly maxPerEndpoint: number;
}

/** The longest time between two looks at the database. */
const LOOK_EVERY_MS = 1000;
/** How long a stop waits for attempts under way before it cuts them. */
const STOP_GRACE_MS = 3000;

/**
 * Claims due streams and has them run, many at once. All it knows is in the database: stopping it in any
 * moment loses nothing, and any number of workers share the streams.
 */
@Injectable()
export class DeliveryWorker {
  private readonly owner: string;
  private readonly stopping = new AbortController();
  private readonly cutting = new AbortController();
  /** What runs, each with the stream and when it was claimed. */
  private readonly running = new Map<
    Promise<void>,
    { readonly id: string; readonly since: number }
  >();
  private readonly permits: SendPermits;
  private cleaning: Promise<void> | null = null;
  private readonly looking: BackgroundJob;
  private unlisten: () => void = () => undefined;

  constructor(
    ids: IdSource,
    private readonly streams: DeliveryStreamStore,
    private readonly runner: StreamRunner,
    private readonly cleanup: DeliveryCleanup,
    private readonly wakeup: PushWakeup,
    private readonly clock: Clock,
    log: Log,
    @Settings('push') private readonly settings: WorkerSettings,
    @Inject(Database) private readonly database: Pick<Database, 'soleProcess'>,
  ) {
    this.owner = ids.next();
    const rules = {
      name: 'deliveries',
      failure: 'the delivery worker could not claim due webhooks; trying again',
      everyMs: LOOK_EVERY_MS,
      atOnce: true,
      run: () => this.look(),
    };
    this.looking = new BackgroundJob(rules, clock, log);
    this.permits = new SendPermits(settings.maxConcurrent, () => this.looking.wake());
  }

  async start(): Promise<void> {
    // Whoever held a lease before is dead.
    if (this.database.soleProcess) await this.streams.releaseOthers(this.owner);
    this.unlisten = this.wakeup.onNotify(() => this.looking.wake());
    this.looking.start();
  }

  /** Claims nothing more, lets attempts under way end (for a moment), and gives back the rest. */
  async stop(): Promise<void> {
    this.unlisten();
    this.stopping.abort();
    await this.looking.stop();
    this.permits.stop();
    await this.cleaning;
    const done = Promise.all(this.running.keys());
    const grace = new AbortController();
    await Promise.race([done, this.clock.sleep(STOP_GRACE_MS, grace.signal)]);
    grace.abort();
    this.cutting.abort();
    await done;
  }

  /** Starts what is due; how long nothing more can be started, unless the worker is woken. */
  private async look(): Promise<number> {
    const now = this.clock.now();
    this.cleanUp(now);
    this.permits.endLongWaits();
    const free = this.settings.maxConcurrent - this.permits.inUse;
    if (free <= 0) return LOOK_EVERY_MS;
    const due = await this.streams.nextDueAt(now);
    if (due === null) return LOOK_EVERY_MS;
    if (due > now) return Math.min(LOOK_EVERY_MS, this.until(due));
    const { maxPerEndpoint: perEndpoint, maxConcurrent: total } = this.settings;
    const caps = { free, perEndpoint, total, own: this.permits };
    const lease = leaseMs(this.settings);
    const claimed = await this.streams.claim(
      this.owner,
      now,
      lease,
      caps,
      this.overdue(now, lease),
    );
    for (const stream of claimed) this.run(stream, now);
    if (claimed.length > 0) return 0;
    // What is due must wait for its endpoint, whose next free permit wakes the worker; others need not wait as long.
    const next = await this.streams.nextDueAt(now, 'later');
    return next === null ? LOOK_EVERY_MS : Math.min(LOOK_EVERY_MS, this.until(next));
  }

  private run(stream: DeliveryStream, now: Date): void {
    const permit = this.permits.of(stream);
    const run = this.runner.run(stream, permit, this.stopping.signal, this.cutting.signal);
    this.running.set(run, { id: stream.id, since: now.getTime() });
    void run.then(() => {
      this.running.delete(run);
      permit.end();
      // What it has given back may be all that its receiver has.
      if (permit.isDismissed) this.looking.wake();
    });
  }

  /** The cleanup runs beside the claims: none of its jobs delays a delivery. */
  private cleanUp(now: Date): void {
    this.cleaning ??= this.cleanup.run(now).then((more) => {
      this.cleaning = null;
      if (more) this.looking.wake();
    });
  }

  /**
   * Streams that run here for longer than a lease, or since a time that is to come again: whether it was
   * extended or not, they are at work.
   */
  private overdue(now: Date, lease: number): string[] {
    const at = now.getTime();
    const running = [...this.running.values()];
    return running.filter(({ since }) => since <= at - lease || since > at).map(({ id }) => id);
  }

  private until(at: Date): number {
    return Math.max(1, at.getTime() - this.clock.now().getTime());
  }
}
