import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundJob, type NextRun } from '../common/background-job.js';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.js';
import { AppConfig } from '../config/index.js';
import type { SecretCensus } from './secret-census.js';
import { SecretWalk } from './secret-walk.js';

/** How often secrets are looked through while another key than the present one may seal some. */
const AGAIN_MS = 10 * 60_000;
/** The pause after the database did not answer. */
const TROUBLE_PAUSE_MS = 60_000;

/**
 * Seals secrets anew when the keys have changed: in the background after the start, in every role but
 * `api`, and again while there are several keys, since processes that are not restarted yet go on
 * sealing with the old one. The log tells what came of it.
 */
@Injectable()
export class SecretRotation implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: BackgroundJob;
  /** Keys that were found to seal nothing any more. */
  private readonly idle = new Set<string>();

  constructor(
    private readonly walk: SecretWalk,
    private readonly secrets: SecretBox,
    private readonly config: AppConfig,
    clock: Clock,
    private readonly log: Log,
  ) {
    const rules = {
      name: 'secret rotation',
      failure: 'the check of encrypted secrets failed; it is retried',
      everyMs: TROUBLE_PAUSE_MS,
      atOnce: true,
      run: (signal: AbortSignal) => this.look(signal),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    if (this.config.role !== 'api') this.job.start();
  }

  /** Resolves when nothing is read or written any more. */
  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  private async look(signal: AbortSignal): Promise<NextRun> {
    try {
      const census = await this.walk.reseal(signal);
      if (census === undefined) return 'done';
      const isWhole = this.report(census);
      return isWhole && this.secrets.keyIds.length === 1 ? 'done' : AGAIN_MS;
    } catch (error) {
      if (signal.aborted) return 'done';
      throw error;
    }
  }

  /** Whether every secret can be opened. */
  private report(census: SecretCensus): boolean {
    const { sealingKey: keyId, keyIds } = this.secrets;
    const { resealed, unreadable } = census;
    if (resealed > 0)
      this.log.info({ keyId, secrets: resealed }, 'secrets were re-encrypted with the current key');
    for (const id of keyIds.slice(1)) {
      if (census.of(id) > 0) this.idle.delete(id);
      else if (!this.idle.has(id)) {
        this.idle.add(id);
        this.log.info(
          { keyId: id },
          `no secret is encrypted with the key ${id} any more; it may be removed`,
        );
      }
    }
    const missing = census.missing(keyIds);
    for (const id of missing) {
      this.log.error(
        { keyId: id, secrets: census.of(id) },
        `secrets are encrypted with the key ${id}, which secrets.keys does not have: work that needs them waits or is refused until the key is configured again`,
      );
    }
    if (unreadable > 0) {
      this.log.error(
        { secrets: unreadable },
        'secrets cannot be decrypted with the key of their id: the id now has another key, or the secrets were modified',
      );
    }
    return missing.length === 0 && unreadable === 0;
  }
}
