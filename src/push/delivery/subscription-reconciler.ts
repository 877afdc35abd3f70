import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { AppConfig } from '../../config/index.js';
import { PushWakeup } from './push-wakeup.js';
import { SubscriptionStreamStore, type StaleSubscription } from './subscription-stream-store.js';

/** How often it looks for changes made in other processes; one small query. */
const LOOK_EVERY_MS = 1000;
/** Streams reconciled in one transaction, so that it stays short. */
const PIECE = 64;

/**
 * Brings the streams of changed subscriptions in line with them, piece by piece, in every role but `api`: first those that are
 * claimed, for they go on with what the subscription was. Nothing waits for it: a stream that is claimed before is reconciled by the claim. What is
 * to do is in the database, so a stop in any moment loses nothing.
 */
@Injectable()
export class SubscriptionReconciler implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: BackgroundJob;

  constructor(
    private readonly store: SubscriptionStreamStore,
    private readonly wakeup: PushWakeup,
    private readonly clock: Clock,
    log: Log,
    private readonly config: AppConfig,
  ) {
    const rules = {
      name: 'subscription cleanup',
      failure: 'the webhooks of a changed subscription could not be updated; trying again',
      everyMs: LOOK_EVERY_MS,
      atOnce: true,
      run: (signal: AbortSignal) => this.reconcileAll(signal),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    if (this.config.role !== 'api') this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  /** A subscription of this process has changed. */
  wake(): void {
    this.job.wake();
  }

  private async reconcileAll(signal: AbortSignal): Promise<void> {
    for (const each of await this.store.stale()) await this.reconcile(each, signal);
  }

  private async reconcile(each: StaleSubscription, signal: AbortSignal): Promise<void> {
    // These are not gone through again, which would end the claims that have come since.
    const done = await this.store.reconcileClaimed(each.id, this.clock.now());
    let cursor: string | null = null;
    do {
      cursor = await this.store.reconcile(each.id, cursor, PIECE, this.clock.now(), done);
      this.wakeup.notify();
      if (signal.aborted) return;
    } while (cursor !== null);
    await this.store.reconciled(each);
  }
}
