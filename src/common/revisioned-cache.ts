import { BackgroundJob } from './background-job.js';
import type { Clock } from './clock.js';
import type { Log } from './logger.js';

/** How often other processes' changes are looked for; one small query. */
const LOOK_EVERY_MS = 1000;

/** A stored list, and a number that every change of it raises, whichever process makes it. */
export interface RevisionedStore<T> {
  revision(): Promise<number>;
  all(): Promise<readonly T[]>;
}

/**
 * A stored list cached in memory, for the path of every message. It is renewed with each change made in this
 * process before that change is answered ({@link renew}), and at most a second after one made in another
 * ({@link follow}).
 */
export class RevisionedCache<T> {
  private revision = -1;
  private readonly job: BackgroundJob;
  private before: (() => Promise<void>) | undefined;
  /** Renewals run one after another, so that an older read never replaces a newer one. */
  private renewing: Promise<void> = Promise.resolve();

  /** `onReload` gets the list each time it was read. `what` names its entries in the log. */
  constructor(
    private readonly store: RevisionedStore<T>,
    private readonly onReload: (all: readonly T[]) => void,
    what: string,
    clock: Clock,
    log: Log,
  ) {
    const rules = {
      name: what,
      failure: `${what} could not be read; the cached ones stay in use`,
      everyMs: LOOK_EVERY_MS,
      run: () => this.look(),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  /** Reads the list again if it changed; resolves when the memory holds what the database does. */
  renew(): Promise<void> {
    const renewed = this.renewing.then(() => this.read());
    this.renewing = renewed.catch(() => undefined);
    return renewed;
  }

  /** Reads the list, and again whenever another process changes it; `before` runs ahead of each look. */
  async follow(before?: () => Promise<void>): Promise<void> {
    await this.renew();
    this.before = before;
    this.job.start();
  }

  /** Looks no more. */
  stop(): void {
    void this.job.stop();
  }

  private async read(): Promise<void> {
    // Asked first: a change between the two reads is then seen again by the next look.
    const revision = await this.store.revision();
    if (revision === this.revision) return;
    this.onReload(await this.store.all());
    this.revision = revision;
  }

  private async look(): Promise<void> {
    await this.before?.();
    await this.renew();
  }
}
