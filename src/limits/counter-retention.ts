import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { Clock, DAY_MS } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { monthOf } from './domain/applied-limit.js';
import { LimitCounters } from './limit-counters.js';
import { RateStore } from './rate-store.js';
import { Spending } from './spending.js';

const EVERY_MS = 60 * 60 * 1000;
/** With the present one. */
const KEPT_MONTHS = 13;
/** Thirteen months. */
const KEPT_MS = 397 * DAY_MS;
/** Rows deleted in one commit at most. */
const ROWS = 250;

/** Deletes what was counted for limits, and what was spent, in periods long past. */
@Injectable()
export class CounterRetention implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: BackgroundJob;

  constructor(
    counters: LimitCounters,
    spending: Spending,
    rates: RateStore,
    clock: Clock,
    log: Log,
  ) {
    const rules = {
      name: 'counters of limits',
      failure: 'deleting old counters and spending of limits failed',
      everyMs: EVERY_MS,
      run: async () => {
        const before = new Date(clock.now().getTime() - KEPT_MS);
        while ((await counters.forget(before, ROWS)) >= ROWS);
        const unused = new Date(clock.now().getTime() - EVERY_MS);
        while ((await rates.forget(unused, ROWS)) >= ROWS);
        const month = monthOf(clock.now()) - KEPT_MONTHS;
        while ((await spending.forget(month, ROWS)) >= ROWS);
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
