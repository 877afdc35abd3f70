import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { ApiKeyStore } from './api-key-store.js';
import { KeylessWarnings } from './keyless-warnings.js';

const LOOK_EVERY_MS = 10_000;

/**
 * Sees to it that the principal of a key that has expired stands as if the key had been revoked: what is
 * sent in its name ends as `auth.keylessGrace` says. Callers do not wait for it: they are refused by the clock.
 */
@Injectable()
export class KeyExpiry implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: BackgroundJob;

  constructor(store: ApiKeyStore, clock: Clock, warnings: KeylessWarnings, log: Log) {
    const rules = {
      name: 'key expiry',
      failure: 'expired API keys could not be read',
      everyMs: LOOK_EVERY_MS,
      run: () => store.noteExpired(clock.now(), (lost) => warnings.noted(lost)),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }
}
