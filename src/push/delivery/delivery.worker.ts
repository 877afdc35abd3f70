import type { Clock } from '../../common/clock.js';
import type { Log } from '../../common/logger.js';
import type { DeliveryUpkeep } from './delivery-cleanup.js';
import { leaseMs, type LaneRunner } from './stream-runner.js';
import type { LaneStore } from './delivery-stream-store.js';
import type { PushWakeup } from './push-wakeup.js';

export interface WorkerSettings {
  readonly timeoutMs: number;
  readonly maxConcurrent: number;
  readonly maxPerEndpoint: number;
  /** This process has the database alone, so whoever held a lease before it is dead. */
  readonly alone: boolean;
}

/** The longest time between two looks at the database. */
const LOOK_EVERY_MS = 1000;
/** How long a stop waits for attempts under way before it cuts them. */
const STOP_GRACE_MS = 3000;

/**
 * Claims due lanes and has them run, many at once. All it knows is in the database: stopping it in any
 * moment loses nothing, and any number of workers share the lanes.
 */
export class DeliveryWorker {
  private readonly stopping = new AbortController();
  private readonly cutting = new AbortController();
  /** What runs, each with the lane and when it was claimed. */
  private readonly running = new Map<
    Promise<void>,
    { readonly id: string; readonly since: number }
  >();
  private upkeeping: Promise<void> | null = null;
  private looping: Promise<void> = Promise.resolve();
  private rung = false;
  private wake: () => void = () => undefined;
  private unlisten: () => void = () => undefined;

  constructor(
    private readonly owner: string,
    private readonly lanes: LaneStore,
    private readonly runner: LaneRunner,
    private readonly upkeep: DeliveryUpkeep,
    private readonly wakeup: PushWakeup,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly settings: WorkerSettings,
  ) {}

  async start(): Promise<void> {
    if (this.settings.alone) await this.lanes.releaseOthers(this.owner);
    this.unlisten = this.wakeup.onRing(() => this.ring());
    this.looping = this.loop();
  }

  /** Claims nothing more, lets attempts under way end (for a moment), and gives back the rest. */
  async stop(): Promise<void> {
    this.unlisten();
    this.stopping.abort();
    this.ring();
    await this.looping;
    await this.upkeeping;
    const done = Promise.all(this.running.keys());
    const grace = new AbortController();
    await Promise.race([done, this.clock.sleep(STOP_GRACE_MS, grace.signal)]);
    grace.abort();
    this.cutting.abort();
    await done;
  }

  private async loop(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.rung = false;
      const pause = await this.look().catch((error: unknown) => {
        this.log.error(
          { err: error },
          'the delivery worker could not claim due webhooks; trying again',
        );
        return LOOK_EVERY_MS;
      });
      if (pause > 0 && !this.rung) await this.rest(pause);
    }
  }

  /** Starts what is due; how long nothing more can be started, unless somebody rings. */
  private async look(): Promise<number> {
    const now = this.clock.now();
    this.keepUp(now);
    const free = this.settings.maxConcurrent - this.running.size;
    if (free <= 0) return LOOK_EVERY_MS;
    const due = await this.lanes.nextDueAt(now);
    if (due === null) return LOOK_EVERY_MS;
    if (due > now) return Math.min(LOOK_EVERY_MS, this.until(due));
    const { maxPerEndpoint: perEndpoint, maxConcurrent: total } = this.settings;
    const caps = { free, perEndpoint, total };
    const lease = leaseMs(this.settings);
    const claimed = await this.lanes.claim(this.owner, now, lease, caps, this.overdue(now, lease));
    for (const lane of claimed) {
      const run = this.runner.run(lane, this.stopping.signal, this.cutting.signal);
      this.running.set(run, { id: lane.id, since: now.getTime() });
      void run.then(() => {
        this.running.delete(run);
        this.ring();
      });
    }
    if (claimed.length > 0) return 0;
    // What is due must wait for its endpoint, and rings when that has room; others need not wait as long.
    const next = await this.lanes.nextDueAt(now, 'later');
    return next === null ? LOOK_EVERY_MS : Math.min(LOOK_EVERY_MS, this.until(next));
  }

  /** Upkeep goes on beside the claims: no job of it holds a delivery up. */
  private keepUp(now: Date): void {
    this.upkeeping ??= this.upkeep.run(now).then((more) => {
      this.upkeeping = null;
      if (more) this.ring();
    });
  }

  /**
   * Lanes that run here for longer than a lease, or since a time that is to come again: whether it was
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

  private async rest(ms: number): Promise<void> {
    const rung = new AbortController();
    this.wake = () => rung.abort();
    await this.clock.sleep(ms, rung.signal);
    this.wake = () => undefined;
  }

  private ring(): void {
    this.rung = true;
    this.wake();
  }
}
