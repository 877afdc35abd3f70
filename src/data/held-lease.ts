import type { Clock } from '../common/clock.js';
import { timeLeft } from '../common/time-left.js';

/** What nothing was heard of for so long may be taken over by another process. */
export const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 15_000;

/** It is another's (or what it was for is canceled), or could not be renewed in time. */
export type LeaseEnd = 'taken' | 'over';

/** Until when a lease lasts that is taken or renewed now. */
export function leaseUntil(clock: Pick<Clock, 'now'>): Date {
  return new Date(clock.now().getTime() + LEASE_MS);
}

/** Renews a lease again and again, while one step of the work takes longer than the lease. */
export class HeldLease {
  private readonly lost = new AbortController();
  private cancelRenewal: () => void = () => undefined;
  private cancelEnd: () => void = () => undefined;
  private renewing: Promise<void> = Promise.resolve();
  /** Whatever the clock is set to, it lasts no longer than a lease. */
  private timeLeft: () => number;
  private isStopped = false;

  /**
   * For a lease that was taken until then. `store` keeps until when it lasts, and resolves with false when the lease is
   * another's; where it rejects, or does not answer, it is asked again until the lease is over.
   */
  constructor(
    private readonly clock: Pick<Clock, 'now' | 'monotonicMs' | 'after'>,
    private until: Date,
    private readonly store: (until: Date) => Promise<boolean>,
  ) {
    this.timeLeft = timeLeft(clock, LEASE_MS);
    this.waitToRenew();
    this.waitForEnd();
  }

  /** Aborted once the lease is another's, or may be; its reason is a {@link LeaseEnd}. */
  get isLost(): AbortSignal {
    return this.lost.signal;
  }

  /** Renews it now; false when it is another's, or may be. */
  async renew(): Promise<boolean> {
    if (this.lost.signal.aborted) return false;
    const until = leaseUntil(this.clock);
    const left = timeLeft(this.clock, LEASE_MS);
    if (await this.store(until)) [this.until, this.timeLeft] = [until, left];
    else this.lose('taken');
    return !this.lost.signal.aborted;
  }

  /** Resolves when nothing is renewed any more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancelRenewal();
    this.cancelEnd();
    await this.renewing;
  }

  private lose(end: LeaseEnd): void {
    this.cancelRenewal();
    this.cancelEnd();
    this.lost.abort(end);
  }

  private waitToRenew(): void {
    this.cancelRenewal = this.clock.after(RENEW_EVERY_MS, () => {
      this.renewing = this.renewAndWait();
    });
  }

  private async renewAndWait(): Promise<void> {
    await this.renew().catch(() => undefined);
    if (!this.isStopped && !this.lost.signal.aborted) this.waitToRenew();
  }

  private waitForEnd(): void {
    const leftMs = Math.min(this.until.getTime() - this.clock.now().getTime(), this.timeLeft());
    if (leftMs <= 0) return this.lose('over');
    this.cancelEnd = this.clock.after(leftMs, () => this.waitForEnd());
  }
}
