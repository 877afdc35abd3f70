import type { Clock } from '../../common/clock.js';
import type { TaskStore } from '../store/task-store.js';

/** A lease is renewed when a third of it has passed. */
const RENEWALS_PER_LEASE = 3;

export interface LeasesDeps {
  readonly store: Pick<TaskStore, 'renew'>;
  readonly owner: string;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** The delegations that run here. */
  readonly owned: () => Iterable<string>;
}

/** Renews the leases of what runs in this process. */
export class Leases {
  private renewedAt: number;
  private renewing: Promise<void> | undefined;

  constructor(private readonly deps: LeasesDeps) {
    this.renewedAt = deps.clock.now().getTime();
  }

  /**
   * Renews the leases of what runs here if that is due. Resolves to the time now, by which none of them has
   * expired, as far as this process still holds it. Rejects when the database is in trouble.
   */
  async renewIfDue(): Promise<Date> {
    for (;;) {
      const now = this.deps.clock.now();
      if (!this.isDue(now)) return now;
      this.renewing ??= this.renew().finally(() => (this.renewing = undefined));
      await this.renewing;
    }
  }

  private isDue(now: Date): boolean {
    // After the clock was set back, leases still end by the old time.
    const elapsedMs = Math.abs(now.getTime() - this.renewedAt);
    return elapsedMs >= this.deps.leaseMs / RENEWALS_PER_LEASE;
  }

  private async renew(): Promise<void> {
    const { store, owner, clock, leaseMs, owned } = this.deps;
    const now = clock.now().getTime();
    await store.renew(owner, [...owned()], new Date(now + leaseMs));
    this.renewedAt = now;
  }
}
