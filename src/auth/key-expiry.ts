import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
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
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: ApiKeyStore,
    private readonly clock: Clock,
    private readonly warnings: KeylessWarnings,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    try {
      await this.store.noteExpired(this.clock.now(), (lost) => this.warnings.noted(lost));
    } catch (error) {
      this.log.warn({ err: error }, 'keys that have expired could not be looked for');
    }
  }
}
