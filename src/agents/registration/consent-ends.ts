import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { EVERYTHING, PrincipalChanges } from '../../auth/index.js';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { ConsentEnding } from '../client/authentication/consent-ending.js';
import { ConsentStore } from '../consents/consent-store.js';

const LOOK_EVERY_MS = 30_000;
/** Ended at once: a provider that does not answer is waited for once for all of them. */
const PIECE = 20;

/**
 * Ends the consents of principals that are disabled, at once in the process that does it, and of agents that are deleted. They do not
 * count before, either.
 */
@Injectable()
export class ConsentEnds implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: BackgroundJob;

  constructor(
    private readonly store: ConsentStore,
    private readonly ending: ConsentEnding,
    changes: PrincipalChanges,
    clock: Clock,
    log: Log,
  ) {
    const rules = {
      name: 'ended consents',
      failure: 'ending the consents of disabled principals and deleted agents failed',
      everyMs: LOOK_EVERY_MS,
      run: (signal: AbortSignal) => this.endAll(signal),
    };
    this.job = new BackgroundJob(rules, clock, log);
    changes.onChange(() => Promise.resolve(this.job.wake()));
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.job.stop();
  }

  private async endAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const ended = await this.store.ended(PIECE);
      await Promise.all(
        ended.map(({ id, cause }) => this.ending.end(id, EVERYTHING, cause, signal)),
      );
      if (ended.length < PIECE) return;
    }
  }
}
