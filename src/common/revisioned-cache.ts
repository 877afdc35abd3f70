import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
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
 * A stored list cached in memory, for the path of every message: what extends this makes of it what it is asked
 * for. It is renewed with each change made in this process before that change is answered ({@link follow}), and at
 * most a second after one made in another.
 */
export abstract class RevisionedCache<T> implements OnModuleInit, OnModuleDestroy {
  private seen = -1;
  private readonly looks: BackgroundJob;
  /** Renewals run one after another, so that an older read never replaces a newer one. */
  private renewing: Promise<void> = Promise.resolve();

  /** `what` names the entries of the list in the log. */
  protected constructor(
    private readonly source: RevisionedStore<T>,
    private readonly what: string,
    clock: Clock,
    private readonly changesLog: Log,
  ) {
    const rules = {
      name: what,
      failure: `${what} could not be read; the cached ones stay in use`,
      everyMs: LOOK_EVERY_MS,
      run: () => this.look(),
    };
    this.looks = new BackgroundJob(rules, clock, changesLog);
  }

  async onModuleInit(): Promise<void> {
    await this.renew();
    this.looks.start();
  }

  onModuleDestroy(): void {
    void this.looks.stop();
  }

  /** Gets the list, of this revision or newer, each time it was read; the next is read when this one has resolved. */
  protected abstract onReload(all: readonly T[], revision: number): void | Promise<void>;

  /** Runs ahead of each look for changes of other processes. */
  protected beforeLook(): Promise<void> {
    return Promise.resolve();
  }

  /** Reads the list again if it changed; resolves when the memory holds what the database does. */
  renew(): Promise<void> {
    const renewed = this.renewing.then(() => this.read());
    this.renewing = renewed.catch(() => undefined);
    return renewed;
  }

  /**
   * Renews after a change was committed. Never rejects: what is done is not answered as failed since it cannot be read at the
   * moment; the next look that can, within a second, follows it as it does the changes of other processes.
   */
  async follow(): Promise<void> {
    try {
      await this.renew();
    } catch (err) {
      this.changesLog.warn(
        { err },
        `${this.what} were changed and could not be read again: this process follows once the database answers`,
      );
    }
  }

  private async read(): Promise<void> {
    // Asked first: a change between the two reads is then seen again by the next look.
    const revision = await this.source.revision();
    if (revision === this.seen) return;
    await this.onReload(await this.source.all(), revision);
    this.seen = revision;
  }

  private async look(): Promise<void> {
    await this.beforeLook();
    await this.renew();
  }
}
