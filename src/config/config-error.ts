/** One thing that is wrong with the configuration. */
export interface ConfigProblem {
  /** The key (`tasks.blockingWait`), or the file or variable when there is no key. */
  readonly key: string;
  /** Where it was set: a file's path or a variable's name. */
  readonly source: string;
  /** What is wrong: the value (masked when secret) and what is allowed. */
  readonly text: string;
}

/** Everything that is wrong with the configuration, at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ key, source, text }) => `  ${key} (${source}): ${text}`);
    super(`The configuration is not valid:\n${lines.join('\n')}`);
  }
}
