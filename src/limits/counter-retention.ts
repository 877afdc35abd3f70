import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { Clock, DAY_MS } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { longTurn } from '../common/long-work.js';
import { monthOf } from './domain/applied-limit.js';
import { LimitCounters } from './limit-counters.js';
import { RateStore } from './rate-store.js';
import { Spending } from './spending.js';

const EVERY_MS = 60 * 60 * 1000;
/** With the present one. */
const KEPT_MONTHS = 13;
/** Counters of a month: thirteen months. Nobody reads those of a day once it is over everywhere. */
const KEPT_MS = 397 * DAY_MS;
const KEPT_OF_DAYS_MS = 7 * DAY_MS;
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
      run: async (signal: AbortSignal) => {
        const ago = (ms: number): Date => new Date(clock.now().getTime() - ms);
        await counters.forget({ ofDays: ago(KEPT_OF_DAYS_MS), ofMonths: ago(KEPT_MS) }, signal);
        await inPieces(signal, () => rates.forget(ago(EVERY_MS), ROWS));
        const month = monthOf(clock.now()) - KEPT_MONTHS;
        await inPieces(signal, () => spending.forget(month, ROWS));
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

async function inPieces(signal: AbortSignal, piece: () => Promise<number>): Promise<void> {
  while (!signal.aborted && (await piece()) >= ROWS) await longTurn();
}
