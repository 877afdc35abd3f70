import { Injectable } from '@nestjs/common';
import { Log } from '../../common/logger.js';
import { DAY_MS } from '../../common/clock.js';
import { Settings } from '../../config/index.js';
import { longestWaitMs, type WaitSettings } from '../receivers/endpoint-rules.js';
import { EndpointStore } from '../receivers/endpoint-store.js';
import { CleanupStore } from './cleanup-store.js';
import { leaseMs } from './stream-turn.js';

export interface CleanupSettings extends WaitSettings {
  readonly attemptRetentionDays: number;
}

const DISABLE_EVERY_MS = 1000;
/** Webhooks disabled in one transaction. */
const DISABLE_AT_ONCE = 50;
const PRUNE_EVERY_MS = 3_600_000;
/** Each has entries in many indexes: so many are deleted in a few milliseconds. */
const PRUNE_AT_ONCE = 64;
/** Between two looks for times no clock can have meant. */
const REPAIR_EVERY_MS = 60_000;
/** After a job that failed. */
const FAILED_PAUSE_MS = 60_000;
/** A clock that is so much behind what it was has been set back. */
const SET_BACK_MS = 1000;

interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** When it is due. */
  at: number;
  /** One piece; true when more is left to do at once. */
  work(now: Date): Promise<boolean>;
}

/**
 * What has to be done beside deliveries, a bounded piece at a time: webhooks of disabled endpoints end,
 * old records go, and times that a clock of before had written are brought back. A job that fails is
 * logged and tried again a minute later; it keeps no other from its work.
 */
@Injectable()
export class DeliveryCleanup {
  /** Until it is done, every stream is looked at. */
  private thorough = true;
  private readonly jobs: readonly Job[] = [
    {
      name: 'correct times after a clock change',
      everyMs: REPAIR_EVERY_MS,
      at: 0,
      work: (now) => this.repair(now),
    },
    {
      name: 'disable webhooks of disabled endpoints',
      everyMs: DISABLE_EVERY_MS,
      at: 0,
      work: (now) => this.store.disableWebhooks(now, DISABLE_AT_ONCE),
    },
    {
      name: 'delete old attempts and deliveries',
      everyMs: PRUNE_EVERY_MS,
      at: 0,
      work: (now) => this.prune(now, this.store),
    },
    {
      name: 'delete old events and endpoints',
      everyMs: PRUNE_EVERY_MS,
      at: 0,
      work: (now) => this.prune(now, this.endpoints),
    },
  ];
  /** The latest time seen; 0 before the first. */
  private latest = 0;

  constructor(
    private readonly store: CleanupStore,
    private readonly endpoints: EndpointStore,
    private readonly log: Log,
    @Settings('push') private readonly settings: CleanupSettings,
  ) {}

  /** Does what is due; cheap when nothing is. True when more is left to do at once. Never rejects. */
  async run(now: Date): Promise<boolean> {
    const at = now.getTime();
    if (at < this.latest - SET_BACK_MS) {
      this.latest = at;
      this.thorough = true;
      for (const job of this.jobs) job.at = at;
    }
    this.latest = Math.max(this.latest, at);
    let more = false;
    for (const job of this.jobs) {
      if (at >= job.at && (await this.do(job, now))) more = true;
    }
    return more;
  }

  private async do(job: Job, now: Date): Promise<boolean> {
    const at = now.getTime();
    try {
      const more = await job.work(now);
      if (!more) job.at = at + job.everyMs;
      return more;
    } catch (error) {
      job.at = at + FAILED_PAUSE_MS;
      this.log.error(
        { err: error, job: job.name },
        'a cleanup job of webhooks failed; trying again in a minute',
      );
      return false;
    }
  }

  /** A clock that goes back must not leave streams waiting for times that come no more. */
  private async repair(now: Date): Promise<boolean> {
    const waits = {
      longestWaitMs: longestWaitMs(this.settings),
      leaseMs: leaseMs(this.settings),
    };
    const moved = await this.store.repairTimes(now, waits, this.thorough);
    this.thorough = false;
    if (moved > 0) this.log.warn({ moved }, 'the clock was set back; waiting webhooks are due now');
    return false;
  }

  private async prune(now: Date, store: Pick<CleanupStore, 'prune'>): Promise<boolean> {
    const before = new Date(now.getTime() - this.settings.attemptRetentionDays * DAY_MS);
    return (await store.prune(before, PRUNE_AT_ONCE)) >= PRUNE_AT_ONCE;
  }
}
