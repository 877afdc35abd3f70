/** One thing that is wrong with the configuration. */
export interface ConfigProblem {
  /** The key (`tasks.blockingWait`), or the file or variable when there is no key. */
  readonly key: string;
  /** Where it was set: a file's path or a variable's name. */
  readonly source: string;
  /** What is wrong: the value (masked when secret) and what is allowed. */
  readonly text: string;
}

/** The source of what is wrong in an entry that only a file can hold, where it is not known which file that is. */
export const SOME_FILE = 'file';

/** Everything that is wrong with the configuration, at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ key, source, text }) => `  ${key} (${source}): ${text}`);
    super(`The configuration is not valid:\n${lines.join('\n')}`);
  }
  /** The same, with the name of the file that holds the settings in the place of {@link SOME_FILE}. */
  in(file: string | null): ConfigError {
    if (file === null) return this;
    return new ConfigError(
      this.problems.map((each) => (each.source === SOME_FILE ? { ...each, source: file } : each)),
    );
  }
}
