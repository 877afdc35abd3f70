import type { Claimer } from './task-log.js';
import type { Delegation } from '../task.js';
import { LARGE_APPEND } from './append-size.js';
import type { LiveTask } from './live-task.js';

/** The delegations of a new task that a runner of this process gets in the commit that creates them. */
export class FirstClaim {
  private reserved: readonly Delegation[] = [];

  constructor(private readonly claimer: Claimer) {}

  /**
   * Claims the queued delegations where the runner has permits for all of them. Those of a large task are
   * claimed after its commit: a lease would run while the task is stored ahead.
   */
  reserve(live: LiveTask, now: Date): void {
    const queued = live.aggregate.delegations.filter(({ state }) => state === 'queued');
    if (queued.length === 0 || live.size >= LARGE_APPEND || !this.claimer.reserve(queued)) return;
    this.reserved = queued;
    live.claimQueued(this.claimer.owner, new Date(now.getTime() + this.claimer.leaseMs));
  }

  /** The task was not created. */
  release(): void {
    this.claimer.release(this.reserved);
  }

  /** The task is created, and all have been notified of it. */
  handOver({ aggregate: { delegations } }: LiveTask): void {
    const claimed = delegations.filter(({ owner }) => owner !== null);
    this.claimer.claimed(claimed.map((each) => ({ ...each, adopted: false })));
  }
}
