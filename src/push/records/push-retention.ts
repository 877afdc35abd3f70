import { Injectable } from '@nestjs/common';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock, DAY_MS } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { longTurn } from '../../common/long-work.js';
import { Settings } from '../../config/index.js';
import { type ExpiredPiece, PushRetentionStore } from './push-retention-store.js';

export interface PushRetentionSettings {
  /** 0 keeps dead letters as long as their tasks. */
  readonly deadLetterRetentionDays: number;
  /** How old the backlog of a webhook that is paused, or whose receiver has not agreed, may become; it keeps its task from being deleted. */
  readonly backlogMaxAgeDays: number;
  /** Where receivers must agree, what waits for one that never does has an end. */
  readonly verification: 'off' | 'optional' | 'required';
}

const EVERY_MS = 3_600_000;
/** Dead letters in one transaction. */
const AT_ONCE = 64;

/** Looks every hour for what webhooks have kept for too long. Stopping it in any moment loses nothing. */
@Injectable()
export class PushRetention {
  private readonly job: BackgroundJob;

  constructor(
    private readonly store: PushRetentionStore,
    private readonly clock: Clock,
    private readonly log: Log,
    @Settings('push') private readonly settings: PushRetentionSettings,
  ) {
    const rules = {
      name: 'webhook retention',
      failure: 'old webhook deliveries could not be deleted; trying again in an hour',
      everyMs: EVERY_MS,
      atOnce: true,
      run: (signal: AbortSignal) => this.look(signal),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  start(): void {
    this.job.start();
  }

  stop(): Promise<void> {
    return this.job.stop();
  }

  private async look(signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const daysAgo = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
    const { deadLetterRetentionDays, backlogMaxAgeDays } = this.settings;
    const before = daysAgo(backlogMaxAgeDays);
    const paused = await expired(signal, (after) => this.store.expireBacklog(before, now, after));
    if (paused > 0) {
      this.log.warn(
        { webhooks: paused },
        'the expired backlog of paused webhooks became dead letters',
      );
    }
    const isHeld = this.settings.verification === 'required';
    const held = isHeld
      ? await expired(signal, (after) => this.store.expireHeld(before, now, after))
      : 0;
    if (held > 0) {
      this.log.warn(
        { webhooks: held },
        'the expired backlog of webhooks whose receivers have not agreed became dead letters',
      );
    }
    if (deadLetterRetentionDays === 0) return;
    await inPieces(signal, () => this.store.pruneDead(daysAgo(deadLetterRetentionDays), AT_ONCE));
  }
}

/** How many streams there were of which something was ended, in all pieces. */
async function expired(
  signal: AbortSignal,
  piece: (after: string) => Promise<ExpiredPiece>,
): Promise<number> {
  let total = 0;
  for (let after: string | null = ''; after !== null && !signal.aborted; await longTurn()) {
    const { streams, next }: ExpiredPiece = await piece(after);
    total += streams;
    after = next;
  }
  return total;
}

async function inPieces(signal: AbortSignal, piece: () => Promise<number>): Promise<number> {
  for (let total = 0; ;) {
    const done = await piece();
    total += done;
    if (done < AT_ONCE || signal.aborted) return total;
  }
}
