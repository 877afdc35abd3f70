import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
import type { Keyless } from './api-key-store.js';
import { PrincipalStore } from './principal-store.js';

/** How often it is looked who has been without a valid key for too long. */
const LOOK_EVERY_MS = 60_000;

/** Says once in each process that sends who has been without a valid key for `auth.keylessGrace`. */
@Injectable()
export class KeylessWarnings implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: BackgroundJob;
  /** Up to when the looks have passed; undefined where none are made. */
  private passed: Date | undefined;
  /** Up to when looks have found who there was. */
  private from = new Date(0);

  constructor(
    private readonly config: AppConfig,
    @Inject(PrincipalStore) private readonly store: Pick<PrincipalStore, 'keylessBetween'>,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    const rules = {
      name: 'keyless principals',
      failure: 'principals without a valid key could not be read',
      everyMs: LOOK_EVERY_MS,
      run: () => this.look(),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    if (this.config.role === 'api') return;
    this.from = this.passed = this.due();
    this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  /**
   * A principal was found here to have no valid key since a time that may be long ago, as after a downtime: it is
   * warned of at once when the looks have passed that time.
   */
  noted({ principal, since }: Keyless): void {
    if (since <= (this.passed ?? this.due())) this.warn(principal);
  }

  private async look(): Promise<void> {
    const until = this.due();
    // Before the look: rather twice than not at all what is noted while it is made.
    this.passed = until;
    for (const principal of await this.store.keylessBetween(this.from, until)) this.warn(principal);
    this.from = until;
  }

  /** Who has lost the last key by then has been without for the grace. */
  private due(): Date {
    return new Date(this.clock.now().getTime() - this.config.auth.keylessGraceMs);
  }

  private warn(principal: string): void {
    const text = 'a principal has no valid key or sign-in any more: its subscriptions are paused';
    this.log.warn({ principal }, text);
  }
}
