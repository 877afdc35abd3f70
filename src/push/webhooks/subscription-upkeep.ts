import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { AppConfig } from '../../config/index.js';
import { PushWakeup } from '../lanes/push-wakeup.js';
import { WebhookStore, type Unsettled } from './webhook-store.js';

/** How often it looks for changes made in other processes; one small query. */
const LOOK_EVERY_MS = 1000;
/** Lanes gone through in one transaction, so that it holds nobody up. */
const PIECE = 64;

/**
 * Brings the lanes of changed subscriptions in line with them, piece by piece, in every role but `api`.
 * Nothing waits for it: a lane whose turn comes before is put in its place when it is claimed. What is
 * to do is in the database, so a stop in any moment loses nothing.
 */
@Injectable()
export class SubscriptionUpkeep implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private working: Promise<void> = Promise.resolve();
  private rung = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly store: WebhookStore,
    private readonly wakeup: PushWakeup,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly config: AppConfig,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.role !== 'api') this.working = this.work();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    this.ring();
    await this.working;
  }

  /** A subscription of this process has changed. */
  ring(): void {
    this.rung = true;
    this.wake();
  }

  private async work(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      this.rung = false;
      try {
        for (const each of await this.store.unsettled()) await this.settle(each);
      } catch (error) {
        this.log.warn({ err: error }, 'the webhooks of a subscription could not be updated yet');
      }
      if (!this.rung && !signal.aborted) await this.rest();
    }
  }

  private async settle(each: Unsettled): Promise<void> {
    let cursor: string | null = null;
    do {
      cursor = await this.store.settle(each.id, cursor, PIECE, this.clock.now());
      this.wakeup.ring();
      if (this.stopping.signal.aborted) return;
    } while (cursor !== null);
    await this.store.settled(each);
  }

  private async rest(): Promise<void> {
    const woken = new AbortController();
    this.wake = () => woken.abort();
    await this.clock.sleep(LOOK_EVERY_MS, woken.signal);
    this.wake = () => undefined;
  }
}
