import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { Clock, DAY_MS } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { LimitCounters } from './limit-counters.js';

const EVERY_MS = 60 * 60 * 1000;
/** Thirteen months. */
const KEPT_MS = 397 * DAY_MS;
/** Rows deleted in one commit at most. */
const ROWS = 250;

/** Deletes what was counted for limits in periods long past. */
@Injectable()
export class CounterRetention implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: BackgroundJob;

  constructor(counters: LimitCounters, clock: Clock, log: Log) {
    const rules = {
      name: 'counters of limits',
      failure: 'deleting old counters of limits failed',
      everyMs: EVERY_MS,
      run: async () => {
        const before = new Date(clock.now().getTime() - KEPT_MS);
        while ((await counters.forget(before, ROWS)) >= ROWS);
      },
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }
}
