import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { ApiKeyStore, type Keyless } from './api-key-store.js';
import { IdentityStore } from './identity-store.js';
import { KeylessWarnings } from './keyless-warnings.js';

const LOOK_EVERY_MS = 10_000;

/**
 * Sees to it that the principal of a key that has expired, or who has not signed in for long, stands as if the key had been revoked: what is
 * sent in its name ends as `auth.keylessGrace` says. Callers do not wait for it: they are refused by the clock.
 */
@Injectable()
export class KeyExpiry implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: BackgroundJob;

  constructor(
    keys: ApiKeyStore,
    identities: IdentityStore,
    clock: Clock,
    warnings: KeylessWarnings,
    log: Log,
  ) {
    const rules = {
      name: 'key expiry',
      failure: 'expired API keys and sign-ins could not be read',
      everyMs: LOOK_EVERY_MS,
      run: async () => {
        const warn = (lost: Keyless): void => warnings.noted(lost);
        await keys.noteExpired(clock.now(), warn);
        await identities.noteExpired(clock.now(), warn);
      },
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
