import type { Claimer } from './task-log.js';
import type { Delegation } from '../task.js';
import { LARGE_APPEND } from './append-size.js';
import type { LiveTask } from './live-task.js';

/** The delegations of a new task that a runner of this process gets in the commit that creates them. */
export class FirstClaim {
  private delegations: readonly Delegation[] = [];

  constructor(private readonly claimer: Claimer) {}

  /**
   * Claims the queued delegations where the runner has permits for all of them. Those of a large task are
   * claimed after its commit: a lease would run while the task is stored ahead.
   */
  reserve(live: LiveTask, now: Date): void {
    const queued = live.aggregate.delegations.filter(({ state }) => state === 'queued');
    if (queued.length === 0 || live.size >= LARGE_APPEND || !this.claimer.reserve(queued)) return;
    const until = new Date(now.getTime() + this.claimer.leaseMs);
    this.delegations = live.claimQueued(this.claimer.owner, until);
  }

  /** The task was not created. */
  release(): void {
    this.claimer.release(this.delegations);
  }

  /**
   * The task is created, and all have been notified of it. Only what was claimed here: a claim from the queue may
   * have come since the commit, and has been handed over by itself.
   */
  handOver(): void {
    this.claimer.claimed(this.delegations.map((each) => ({ adopted: false, ...each })));
  }
}
