import type { Log } from '../common/logger.js';
import type { EndpointStore } from './endpoints/endpoint-store.js';
import type { LaneStore } from './lane-store.js';

export interface UpkeepSettings {
  readonly attemptRetentionDays: number;
  /** The longest time a lane or an endpoint may have to wait for its next try. */
  readonly longestWaitMs: number;
}

const SWEEP_EVERY_MS = 1000;
/** Webhooks disabled in one transaction. */
const SWEEP_AT_ONCE = 50;
const PRUNE_EVERY_MS = 3_600_000;
const PRUNE_AT_ONCE = 1000;
/** Between two looks for times no clock can have meant. */
const REPAIR_EVERY_MS = 60_000;
/** A clock that is so much behind what it was has been set back. */
const SET_BACK_MS = 1000;
const DAY_MS = 86_400_000;

/**
 * What has to be done beside deliveries, a bounded piece at a time: webhooks of disabled endpoints end,
 * old records go, and times that a clock of before had written are brought back.
 */
export class DeliveryUpkeep {
  private sweepAt = 0;
  private pruneAt = 0;
  private repairAt = 0;
  /** The latest time seen; 0 before the first. */
  private latest = 0;

  constructor(
    private readonly lanes: LaneStore,
    private readonly endpoints: EndpointStore,
    private readonly log: Log,
    private readonly settings: UpkeepSettings,
  ) {}

  /** Does what is due; cheap when nothing is. True when more is left to do at once. */
  async run(now: Date): Promise<boolean> {
    const at = now.getTime();
    const isSetBack = at < this.latest - SET_BACK_MS;
    if (isSetBack) this.sweepAt = this.pruneAt = this.repairAt = at;
    const isFirst = this.latest === 0;
    this.latest = isSetBack ? at : Math.max(this.latest, at);
    if (at >= this.repairAt) await this.repair(now, isSetBack || isFirst);
    const swept = at >= this.sweepAt && (await this.sweep(now));
    const pruned = at >= this.pruneAt && (await this.prune(now));
    return swept || pruned;
  }

  /** A clock that goes back must not leave lanes waiting for times that come no more. */
  private async repair(now: Date, thorough: boolean): Promise<void> {
    const moved = await this.endpoints.repairTimes(now, this.settings.longestWaitMs, thorough);
    this.repairAt = now.getTime() + REPAIR_EVERY_MS;
    if (moved > 0) this.log.warn({ moved }, 'the clock was set back: waiting webhooks are due now');
  }

  private async sweep(now: Date): Promise<boolean> {
    const more = await this.endpoints.sweepDisabled(now, SWEEP_AT_ONCE);
    if (!more) this.sweepAt = now.getTime() + SWEEP_EVERY_MS;
    return more;
  }

  private async prune(now: Date): Promise<boolean> {
    const before = new Date(now.getTime() - this.settings.attemptRetentionDays * DAY_MS);
    const lanes = await this.lanes.prune(before, PRUNE_AT_ONCE);
    const endpoints = await this.endpoints.prune(before, PRUNE_AT_ONCE);
    const more = Math.max(lanes, endpoints) >= PRUNE_AT_ONCE;
    if (!more) this.pruneAt = now.getTime() + PRUNE_EVERY_MS;
    return more;
  }
}
