import type { Clock } from '../common/clock.js';

/** Renews a lease again and again, while one step of the work takes longer than the lease. */
export class HeldLease {
  private readonly lost = new AbortController();
  private cancel: () => void = () => undefined;
  private renewing: Promise<void> = Promise.resolve();
  private isStopped = false;

  /** `renew` resolves with false when the lease is another's; where it rejects it is tried again. */
  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    private readonly everyMs: number,
    private readonly renew: () => Promise<boolean>,
  ) {
    this.wait();
  }

  /** Aborted once the lease is known to be another's. */
  get isLost(): AbortSignal {
    return this.lost.signal;
  }

  /** Resolves when nothing is renewed any more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    await this.renewing;
  }

  private wait(): void {
    this.cancel = this.clock.after(this.everyMs, () => {
      this.renewing = this.renewOnce();
    });
  }

  private async renewOnce(): Promise<void> {
    const isMine = await this.renew().catch(() => true);
    if (!isMine) this.lost.abort();
    else if (!this.isStopped) this.wait();
  }
}
