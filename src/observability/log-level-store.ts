import type { LogLevel, LogModule } from '../common/module-logs.js';

/** The level of a module for a while. */
export interface SetLevel {
  readonly module: LogModule;
  readonly level: LogLevel;
  readonly endsAt: Date;
}

/** The levels that operators have set, for all processes. */
export abstract class LogLevelStore {
  abstract read(): Promise<readonly SetLevel[]>;

  /** In one commit: sets these, and forgets those of `reset` and all that have ended. */
  abstract change(set: readonly SetLevel[], reset: readonly LogModule[], now: Date): Promise<void>;
}
