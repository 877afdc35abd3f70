import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
import { Database } from '../database/database.js';
import { DataJobStore } from './data-job-store.js';

const LOOK_EVERY_MS = 30_000;

/** Ends exports whose process was killed while they were read, in every role but `api`. */
@Injectable()
export class LeftExports implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: BackgroundJob;

  constructor(
    private readonly store: DataJobStore,
    private readonly database: Database,
    private readonly clock: Clock,
    log: Log,
    private readonly config: AppConfig,
  ) {
    const rules = {
      name: 'exports that were left',
      failure: 'exports whose process has gone could not be ended; it is tried again',
      everyMs: LOOK_EVERY_MS,
      atOnce: true,
      run: () => this.store.endLeft(this.clock.now(), false),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.role === 'api') return;
    // The lock of the file proves that no other process writes any.
    if (this.database.soleProcess) await this.store.endLeft(this.clock.now(), true);
    this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }
}
