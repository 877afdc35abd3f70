import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SessionStore } from '../../auth/index.js';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { AppConfig } from '../../config/index.js';

const EVERY_MS = 10 * 60_000;
/** Sessions that one transaction deletes. */
const PIECE = 200;

/** Deletes sessions that are over: they let nobody in any more, and their tokens are of no use. */
@Injectable()
export class SessionSweep implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: BackgroundJob;

  constructor(
    private readonly config: AppConfig,
    private readonly store: SessionStore,
    private readonly clock: Clock,
    log: Log,
  ) {
    const rules = {
      name: 'sessions of the console',
      failure: 'sessions of the console that are over could not be deleted',
      everyMs: EVERY_MS,
      run: (signal: AbortSignal) => this.sweep(signal),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  /** Deletes all there are now, unless `signal` ends it early. */
  async sweep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const now = this.clock.now();
      const idleSince = new Date(now.getTime() - this.config.console.idleTtlMs);
      if ((await this.store.sweep({ now, idleSince }, PIECE)) < PIECE) return;
    }
  }
}
