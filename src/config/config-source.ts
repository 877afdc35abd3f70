import { statSync } from 'node:fs';
import type { AppConfig } from './app-config.js';
import { loadConfig } from './load-config.js';

/** Where the configuration of a process comes from, and whether it has changed there since. */
export abstract class ConfigSource {
  /** The file that may change while the process runs; null: nothing changes. */
  abstract readonly file: string | null;

  /** Reads the whole configuration; throws `ConfigError` with all that is wrong. */
  abstract load(): AppConfig;

  /** Whether the file is another one than when it was last loaded, whatever came of that. */
  abstract isChanged(): boolean;
}

/** The variables of a process and the file that `A2A_HUB_CONFIG` names. */
export class ProcessConfigSource extends ConfigSource {
  readonly file: string | null;
  private stamp = '';

  constructor(private readonly environment: NodeJS.ProcessEnv = process.env) {
    super();
    this.file = environment['A2A_HUB_CONFIG'] ?? null;
  }

  load(): AppConfig {
    // Taken first: a change while it is read is seen by the next look.
    this.stamp = stampOf(this.file);
    return loadConfig(this.environment);
  }

  isChanged(): boolean {
    return stampOf(this.file) !== this.stamp;
  }
}

/** Changes with the content of a file, also when another one is put in its place by renaming. */
function stampOf(file: string | null): string {
  const stats = file === null ? undefined : statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? 'none' : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}

/** A configuration that stays as it is. */
export class FixedConfigSource extends ConfigSource {
  readonly file = null;

  constructor(private readonly config: AppConfig) {
    super();
  }

  load(): AppConfig {
    return this.config;
  }

  isChanged(): boolean {
    return false;
  }
}
