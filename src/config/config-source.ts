import { readFileSync, statSync } from 'node:fs';
import type { AppConfig } from './app-config.js';
import { ConfigError } from './config-error.js';
import { FILE_VARIABLE, loadConfig } from './load-config.js';

/** Where the configuration of a process comes from, and whether it has changed there since. */
export abstract class ConfigSource {
  private atStart: AppConfig | undefined;

  /** The file that may change while the process runs; null: nothing changes. */
  abstract readonly file: string | null;

  /**
   * Reads the whole configuration; throws `ConfigError` with all that is wrong. An empty file is one
   * without settings at first; later it is refused, as what is left of one that went wrong.
   */
  abstract load(): AppConfig;

  /** The configuration that the process starts with: read once. Throws as {@link load} does. */
  get initial(): AppConfig {
    return (this.atStart ??= this.load());
  }

  /**
   * A look at the file: whether it is another one than when it was last loaded, whatever came of that,
   * and the same as at the look before. One that is being written is so not read half.
   */
  abstract isChanged(): boolean;
}

/** The variables of a process and the file that `A2A_HUB_CONFIG` names. */
export class ProcessConfigSource extends ConfigSource {
  readonly file: string | null;
  /** It has had settings: when it is empty now, something went wrong. */
  private hadContent = false;
  /** When it was last loaded, and when it was last looked at. */
  private stamp: string | undefined;
  private seen = '';

  constructor(private readonly environment: NodeJS.ProcessEnv = process.env) {
    super();
    this.file = environment[FILE_VARIABLE] ?? null;
  }

  load(): AppConfig {
    // Taken first: a change while it is read is seen by the next looks.
    this.stamp = stampOf(this.file);
    const isEmpty = this.file !== null && isEmptyFile(this.file);
    if (isEmpty && this.hadContent) {
      throw new ConfigError([{ key: this.file, source: FILE_VARIABLE, text: 'is empty' }]);
    }
    this.hadContent ||= !isEmpty;
    return loadConfig(this.environment);
  }

  isChanged(): boolean {
    const before = this.seen;
    this.seen = stampOf(this.file);
    return this.seen !== this.stamp && this.seen === before;
  }
}

/** A file that cannot be read is for the loading to tell of. */
function isEmptyFile(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  return readFileSync(file, 'utf8').trim() === '';
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
