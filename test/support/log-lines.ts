import { Log } from '../../src/common/logger.js';
import type { HubOptions } from './app.js';

/** One entry of the hub's log. */
export interface LogEntry {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Keeps what a hub logs. */
export class LogLines extends Log {
  readonly entries: LogEntry[] = [];

  /** For `startHub`. */
  get providers(): NonNullable<HubOptions['providers']> {
    return [{ provide: Log, useValue: this }];
  }

  /** The fields of the entries with this message. */
  of(message: string, level?: string): LogEntry['fields'][] {
    return this.entries
      .filter((entry) => entry.message === message && (level ?? entry.level) === entry.level)
      .map(({ fields }) => fields);
  }

  debug(fields: object, message: string): void {
    this.note('debug', fields, message);
  }
  info(fields: object, message: string): void {
    this.note('info', fields, message);
  }
  warn(fields: object, message: string): void {
    this.note('warn', fields, message);
  }
  error(fields: object, message: string): void {
    this.note('error', fields, message);
  }

  private note(level: string, fields: object, message: string): void {
    this.entries.push({ level, message, fields: { ...fields } });
  }
}
