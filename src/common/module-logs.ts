import type { Provider } from '@nestjs/common';
import type { Logger } from 'pino';
import { Log } from './logger.js';

/** From the least severe entries to none. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The parts of the hub that have a level of their own: its folders; `hub` is all that is in none of them. */
export const LOG_MODULES = [
  'a2a',
  'admin',
  'agents',
  'audit',
  'auth',
  'config',
  'console',
  'data',
  'database',
  'explain',
  'hub',
  'limits',
  'observability',
  'policies',
  'push',
  'routing',
  'secrets',
  'signing',
  'tasks',
] as const;
export type LogModule = (typeof LOG_MODULES)[number];
export type ModuleLevels = Readonly<Partial<Record<LogModule, LogLevel>>>;

/** The log of each module of the hub: entries with the module's name, from the module's level on. */
export class ModuleLogs {
  private readonly loggers = new Map<LogModule, Logger[]>();
  private readonly levels = new Map<LogModule, LogLevel>();

  /** `level` counts for modules that `configured` does not name. */
  constructor(
    private readonly root: Log,
    private readonly level: LogLevel,
    private readonly configured: ModuleLevels,
  ) {
    if (isPino(root)) this.loggers.set('hub', [root]);
    this.setLevel('hub', this.configuredOf('hub'));
  }

  of(module: LogModule): Log {
    return this.childOf(module);
  }

  /** The same for entries without members that hold credentials: looking for these costs several times what writing does. */
  plain(module: LogModule): Log {
    return this.childOf(module, { redact: [] });
  }

  /** The level that the configuration gives a module. */
  configuredOf(module: LogModule): LogLevel {
    return this.configured[module] ?? this.level;
  }

  levelOf(module: LogModule): LogLevel {
    return this.levels.get(module) ?? this.configuredOf(module);
  }

  setLevel(module: LogModule, level: LogLevel): void {
    this.levels.set(module, level);
    for (const logger of this.loggers.get(module) ?? []) logger.level = level;
  }

  private childOf(module: LogModule, options: { readonly redact?: string[] } = {}): Log {
    const { root } = this;
    // What tests put in its place has no levels.
    if (!isPino(root)) return root;
    const fields = module === 'hub' ? {} : { module };
    const child = root.child(fields, { ...options, level: this.levelOf(module) });
    const others = this.loggers.get(module);
    if (others === undefined) this.loggers.set(module, [child]);
    else others.push(child);
    return child;
  }
}

/** What gives a module of Nest its log. */
export function logOf(module: LogModule): Provider {
  return {
    provide: Log,
    inject: [ModuleLogs],
    useFactory: (logs: ModuleLogs) => logs.of(module),
  };
}

function isPino(log: Log): log is Logger {
  return 'child' in log;
}
