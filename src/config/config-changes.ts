import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { unlessAborted } from '../common/unless-aborted.js';
import { AppConfig } from './app-config.js';
import { ConfigError } from './config-error.js';
import { ConfigSource } from './config-source.js';
import { needRestart } from './need-restart.js';

/**
 * How often the file is looked at: one `stat`. A change counts when two looks in a row have seen it, so
 * within a second. That sees what notifications of the file system miss
 * (files put in place by renaming, mounted ConfigMaps, network drives).
 */
const LOOK_EVERY_MS = 500;

/**
 * Examines a configuration that is to take the place of the present one: throws {@link ConfigError}
 * when it cannot be used, else gives what puts it in force. It may be asked for the same one again.
 */
export type Preparation = (config: AppConfig) => Application | Promise<Application>;

/** Puts what was prepared in force. */
type Application = () => void | Promise<void>;

/**
 * Puts changes of the configuration file in force while the hub runs, for the parts that ask for it;
 * all other settings count from the next start on. A file that cannot be used changes nothing at all:
 * it is logged with everything that is wrong, and looked at again when it changes.
 */
@Injectable()
export class ConfigChanges implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly preparations: Preparation[] = [];
  private readonly job: BackgroundJob;
  /** What was read and could not be put in force, or not all of it, as when the database does not answer. */
  private pending: AppConfig | undefined;
  /** What was said of the last failure. */
  private said: string | undefined;

  constructor(
    /** As it was at the start. */
    private readonly config: AppConfig,
    private readonly source: ConfigSource,
    clock: Clock,
    private readonly log: Log,
  ) {
    const rules = {
      name: 'configuration file',
      failure: 'the configuration file is out of reach',
      everyMs: LOOK_EVERY_MS,
      run: (signal: AbortSignal) => this.look(signal),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  /** Has `prepare` examine each new configuration. To be called before the application has started. */
  subscribe(prepare: Preparation): void {
    this.preparations.push(prepare);
  }

  onApplicationBootstrap(): void {
    if (this.source.file !== null) this.job.start();
  }

  /** Does not wait for a configuration that is examined, which may take seconds. */
  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  /** Looks at the file now instead of within half a second. */
  lookNow(): void {
    this.job.wake();
  }

  /** A file that cannot be looked at now is looked at again. */
  private async look(signal: AbortSignal): Promise<void> {
    if (this.source.isChanged()) await this.reload(signal);
    else if (this.pending !== undefined) await this.retry(this.pending, signal);
  }

  private async reload(signal: AbortSignal): Promise<void> {
    this.said = undefined;
    let config: AppConfig;
    let prepared: Application[];
    try {
      config = this.source.load();
      prepared = await this.prepare(config, signal);
    } catch (error) {
      if (signal.aborted) return;
      const inForce =
        this.pending === undefined
          ? 'the previous one stays in force'
          : 'the previous one could not be applied yet; it is retried';
      return this.failed(error, `the changed configuration is invalid; ${inForce}`);
    }
    this.pending = config;
    await this.apply(config, prepared).catch((error: unknown) => this.notApplied(error));
  }

  private async retry(config: AppConfig, signal: AbortSignal): Promise<void> {
    try {
      await this.apply(config, await this.prepare(config, signal));
    } catch (error) {
      if (!signal.aborted) this.notApplied(error);
    }
  }

  private async apply(config: AppConfig, prepared: readonly Application[]): Promise<void> {
    for (const apply of prepared) await apply();
    this.pending = this.said = undefined;
    this.report(config);
  }

  private notApplied(error: unknown): void {
    this.failed(error, 'the changed configuration could not be applied; it is retried');
  }

  /** The same failure of one configuration is said once, however often it is tried again. */
  private failed(error: unknown, text: string): void {
    const { file } = this.source;
    const said = `${text}: ${error instanceof Error ? error.message : String(error)}`;
    if (said === this.said) return;
    this.said = said;
    const what =
      error instanceof ConfigError ? { problems: error.in(file).problems } : { err: error };
    this.log.error({ file, ...what }, text);
  }

  private report(config: AppConfig): void {
    const { file } = this.source;
    const settings = needRestart(this.config, config);
    const text = 'the configuration file was read again';
    if (settings.length === 0) this.log.info({ file }, text);
    else this.log.warn({ file, settings }, `${text}; these settings need a restart`);
  }

  /** Rejects with {@link ConfigError} with what any of the parts finds wrong, and as soon as `signal` aborts. */
  private async prepare(config: AppConfig, signal: AbortSignal): Promise<Application[]> {
    const prepared = Promise.allSettled(this.preparations.map(async (prepare) => prepare(config)));
    const results = await unlessAborted(prepared, signal, stopped);
    const errors = results.flatMap((each): unknown[] =>
      each.status === 'rejected' ? [each.reason] : [],
    );
    const problems = errors.flatMap((error) => {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    });
    if (problems.length > 0) throw new ConfigError(problems);
    return results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }
}

function stopped(): Error {
  return new Error('the process stops');
}
