import type { Clock } from '../common/clock.js';
import type { Log } from '../common/logger.js';
import { leaseMs, type LaneRunner } from './lane-runner.js';
import type { LaneStore } from './lane-store.js';
import type { PushWakeup } from './push-wakeup.js';

export interface WorkerSettings {
  readonly timeoutMs: number;
  readonly maxConcurrent: number;
  readonly maxPerEndpoint: number;
  readonly attemptRetentionDays: number;
  /** This process has the database alone, so whoever held a lease before it is dead. */
  readonly alone: boolean;
}

/** The longest time between two looks at the database. */
const LOOK_EVERY_MS = 1000;
const PRUNE_EVERY_MS = 3_600_000;
const PRUNE_AT_ONCE = 1000;
const DAY_MS = 86_400_000;
/** How long a stop waits for attempts under way before it cuts them. */
const STOP_GRACE_MS = 3000;

/**
 * Claims due lanes and has them run, many at once. All it knows is in the database: stopping it in any
 * moment loses nothing, and any number of workers share the lanes.
 */
export class DeliveryWorker {
  private readonly stopping = new AbortController();
  private readonly cutting = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private looping: Promise<void> = Promise.resolve();
  private pruneAt = 0;
  private rung = false;
  private wake: () => void = () => undefined;
  private unlisten: () => void = () => undefined;

  constructor(
    private readonly owner: string,
    private readonly lanes: LaneStore,
    private readonly runner: LaneRunner,
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
    const done = Promise.all(this.running);
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
        this.log.error({ err: error }, 'the delivery worker could not look for due webhooks');
        return LOOK_EVERY_MS;
      });
      if (pause > 0 && !this.rung) await this.rest(pause);
    }
  }

  /** Starts what is due; how long nothing more can be started, unless somebody rings. */
  private async look(): Promise<number> {
    const now = this.clock.now();
    await this.prune(now);
    const free = this.settings.maxConcurrent - this.running.size;
    if (free <= 0) return LOOK_EVERY_MS;
    const due = await this.lanes.nextDueAt(now);
    if (due === null) return LOOK_EVERY_MS;
    if (due > now) {
      return Math.min(LOOK_EVERY_MS, due.getTime() - this.clock.now().getTime());
    }
    const caps = { free, perEndpoint: this.settings.maxPerEndpoint };
    const claimed = await this.lanes.claim(this.owner, now, leaseMs(this.settings), caps);
    for (const lane of claimed) {
      const run = this.runner.run(lane, this.stopping.signal, this.cutting.signal);
      this.running.add(run);
      void run.then(() => {
        this.running.delete(run);
        this.ring();
      });
    }
    // Due, but all endpoints are busy: a lane that ends rings.
    return claimed.length > 0 ? 0 : LOOK_EVERY_MS;
  }

  private async prune(now: Date): Promise<void> {
    if (now.getTime() < this.pruneAt) return;
    this.pruneAt = now.getTime() + PRUNE_EVERY_MS;
    const before = new Date(now.getTime() - this.settings.attemptRetentionDays * DAY_MS);
    const pruned = await this.lanes.prune(before, PRUNE_AT_ONCE);
    // More is left: go on at the next look.
    if (pruned >= PRUNE_AT_ONCE) this.pruneAt = now.getTime();
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
