import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock, DAY_MS } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { longTurn } from '../../common/long-work.js';
import { AppConfig } from '../../config/index.js';
import { Activity, MINUTE_MS } from './activity.js';
import { ActivityStore } from './activity-store.js';

/** The overview and the list of agents are as old as that. */
const STORE_EVERY_MS = 3000;
const PRUNE_EVERY_MS = 600_000;
const PRUNE_AT_ONCE = 500;
/** Minutes are kept for so long, three hours and what is begun of a minute: what is older is asked for by the quarter of an hour. */
export const MINUTES_KEPT_MS = 3 * 3_600_000 + MINUTE_MS;

/** Stores what this process has counted, and deletes what is old. */
@Injectable()
export class ActivityRecorder
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly storing: BackgroundJob;
  private readonly pruning: BackgroundJob;

  constructor(
    private readonly activity: Activity,
    private readonly store: ActivityStore,
    private readonly clock: Clock,
    @Inject(Log) private readonly log: Pick<Log, 'warn' | 'info'>,
    @Inject(AppConfig) private readonly config: Pick<AppConfig, 'activity'>,
  ) {
    const storing = {
      name: 'activity',
      failure: 'storing what this process has counted failed; it is tried again',
      everyMs: STORE_EVERY_MS,
      run: () => this.flush(),
    };
    const pruning = {
      name: 'activity retention',
      failure: 'deleting old counts failed; it is tried again',
      everyMs: PRUNE_EVERY_MS,
      run: (signal: AbortSignal) => this.prune(signal),
    };
    this.storing = new BackgroundJob(storing, clock, log);
    this.pruning = new BackgroundJob(pruning, clock, log);
  }

  onApplicationBootstrap(): void {
    this.storing.start();
    this.pruning.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.storing.stop(), this.pruning.stop()]);
  }

  /** What the others have counted while they stopped. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.flush().catch((error: unknown) =>
      this.log.warn({ err: error }, 'the last counts of this process could not be stored'),
    );
  }

  /** Stores all counts; rejects when some could not be, which are kept. */
  async flush(): Promise<void> {
    const taken = this.activity.take();
    if (taken.length === 0) return;
    const { left, error } = await this.store.add(taken);
    if (left.length === 0) return;
    this.activity.giveBack(left);
    throw error;
  }

  /** Deletes what is too old. */
  async prune(signal?: AbortSignal): Promise<void> {
    const now = this.clock.now().getTime();
    const keptMs = this.config.activity.retentionDays * DAY_MS;
    await this.pruneSpan(1, new Date(now - Math.min(MINUTES_KEPT_MS, keptMs)), signal);
    await this.pruneSpan(15, new Date(now - keptMs), signal);
  }

  private async pruneSpan(span: 1 | 15, before: Date, signal?: AbortSignal): Promise<void> {
    for (let piece = PRUNE_AT_ONCE; piece === PRUNE_AT_ONCE && !signal?.aborted;) {
      await longTurn();
      piece = await this.store.prune(span, before, PRUNE_AT_ONCE);
    }
  }
}
