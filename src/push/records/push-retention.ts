import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { Settings } from '../../config/index.js';
import { PushRetentionStore } from './push-retention-store.js';

export interface PushRetentionSettings {
  /** 0 keeps dead letters as long as their tasks. */
  readonly deadLetterRetentionDays: number;
  /** How old a paused webhook's backlog may become; it keeps its task from being deleted. */
  readonly backlogMaxAgeDays: number;
}

const EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Rows or delivery streams in one transaction. */
const AT_ONCE = 200;

/** Looks every hour for what webhooks have kept for too long. Stopping it in any moment loses nothing. */
@Injectable()
export class PushRetention {
  private readonly stopping = new AbortController();
  private looping: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: PushRetentionStore,
    private readonly clock: Clock,
    private readonly log: Log,
    @Settings('push') private readonly settings: PushRetentionSettings,
  ) {}

  start(): void {
    this.looping = this.loop();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.looping;
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.look().catch((error: unknown) => {
        this.log.error(
          { err: error },
          'old webhook deliveries could not be deleted; trying again in an hour',
        );
      });
      await this.clock.sleep(EVERY_MS, signal);
    }
  }

  private async look(): Promise<void> {
    const now = this.clock.now();
    const daysAgo = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
    const { deadLetterRetentionDays, backlogMaxAgeDays } = this.settings;
    const streams = await this.inPieces(() =>
      this.store.expireBacklog(daysAgo(backlogMaxAgeDays), now, AT_ONCE),
    );
    if (streams > 0) {
      this.log.warn(
        { webhooks: streams },
        'the expired backlog of paused webhooks became dead letters',
      );
    }
    if (deadLetterRetentionDays === 0) return;
    await this.inPieces(() => this.store.pruneDead(daysAgo(deadLetterRetentionDays), AT_ONCE));
  }

  private async inPieces(piece: () => Promise<number>): Promise<number> {
    for (let total = 0; ;) {
      const done = await piece();
      total += done;
      if (done < AT_ONCE || this.stopping.signal.aborted) return total;
    }
  }
}
