import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger, type LoggerOptions, pino } from 'pino';
import type { AppConfig } from '../config/index.js';
import { LogRedaction } from './log-redaction.js';

type LogSettings = Pick<AppConfig['log'], 'level' | 'format' | 'redact'>;

const NOTHING_MORE = new LogRedaction({ principals: 'id', patterns: [] });

/** Members that hold credentials wherever a log entry has them. */
const SECRET_MEMBERS = ['authorization', '["x-api-key"]', 'cookie', 'credentials', 'token', 'key'];
const SECRETS = SECRET_MEMBERS.flatMap((member) =>
  ['', 'headers', '*.headers', '*'].map((parent) =>
    member.startsWith('[') || parent === '' ? `${parent}${member}` : `${parent}.${member}`,
  ),
);

/** The hub's log: JSON lines on standard output (or `destination`), credentials replaced. */
export function createLog(
  level: AppConfig['log']['level'],
  destination?: DestinationStream,
  redaction = NOTHING_MORE,
): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRETS, censor: '********' },
    hooks: { streamWrite: (line) => redaction.line(line) },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Whether people read standard output, and not programs. */
export function isForPeople(format: LogSettings['format']): boolean {
  return format === 'pretty' || (format === 'auto' && process.stdout.isTTY);
}

/** The hub's log on standard output, in the form that is asked for. */
export async function openLog(
  { level, format, redact }: LogSettings,
  redaction = new LogRedaction(redact),
): Promise<Logger> {
  if (!isForPeople(format)) return createLog(level, undefined, redaction);
  // Loaded only for a terminal.
  const { prettyLines } = await import('./pretty-lines.js');
  return createLog(level, prettyLines(), redaction);
}

/** What Nest says in these contexts when a start fails it throws as well, and who started the hub tells it. */
const THROWN_TOO: ReadonlySet<unknown> = new Set(['ExceptionHandler', 'NestApplication']);

/** Lets Nest write to the hub's log. Its news of the start (routes, modules) is for debugging. */
export class NestLog implements LoggerService {
  constructor(private readonly sink: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write(THROWN_TOO.has(rest.at(-1)) ? 'debug' : 'error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest gives the message, then perhaps a stack, then the context. */
  private write(level: Level, message: unknown, rest: unknown[]): void {
    const context = rest.at(-1);
    const stack = rest.length > 1 ? rest[0] : undefined;
    const err = message instanceof Error ? message : undefined;
    const text = err?.message ?? (typeof message === 'string' ? message : JSON.stringify(message));
    this.sink[level]({ context, ...(stack ? { stack } : {}), ...(err ? { err } : {}) }, text);
  }
}
