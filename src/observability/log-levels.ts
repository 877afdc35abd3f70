import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { Clock } from '../common/clock.js';
import { isAhead } from '../common/is-ahead.js';
import { Log } from '../common/logger.js';
import { LOG_MODULES, type LogLevel, type LogModule, ModuleLogs } from '../common/module-logs.js';
import { timeLeft } from '../common/time-left.js';
import { LogLevelStore, type SetLevel } from './log-level-store.js';

/** How often what other processes have set is read: a table of a few rows. */
const LOOK_EVERY_MS = 1000;

/** As long a level may be set for: longer nobody watches. */
export const MOST_LEVEL_SECONDS = 7 * 24 * 3600;

/** A level as it was read first, which ends also when the clock is set back meanwhile. */
interface Followed extends SetLevel {
  readonly left: () => number;
}

/** The level of a module at this moment. */
export interface ModuleLevel {
  readonly module: LogModule;
  readonly level: LogLevel;
  /** What the configuration says. */
  readonly configured: LogLevel;
  /** When the level is that again; null: it is. */
  readonly endsAt: Date | null;
}

/**
 * The levels of the log that operators set while the hub runs, each for a while. They are in the database, so that every
 * process follows within about a second, one that is started meanwhile as well.
 */
@Injectable()
export class LogLevels implements OnApplicationBootstrap, OnModuleDestroy {
  /** What was read last, also what has ended. */
  private read: ReadonlyMap<LogModule, Followed> = new Map();
  private set: ReadonlyMap<LogModule, Followed> = new Map();
  private readonly job: BackgroundJob;

  constructor(
    private readonly logs: ModuleLogs,
    private readonly store: LogLevelStore,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    const rules = {
      name: 'log levels',
      failure: 'the levels of the log could not be read; they stay as they are',
      everyMs: LOOK_EVERY_MS,
      atOnce: true,
      run: () => this.follow(),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  all(): readonly ModuleLevel[] {
    return LOG_MODULES.map((module) => ({
      module,
      level: this.logs.levelOf(module),
      configured: this.logs.configuredOf(module),
      endsAt: this.set.get(module)?.endsAt ?? null,
    }));
  }

  /** Sets these levels for so long; null: that of the configuration again. In force here when it resolves. */
  async change(levels: ReadonlyMap<LogModule, LogLevel | null>, forMs: number): Promise<void> {
    const now = this.clock.now();
    const endsAt = new Date(now.getTime() + forMs);
    const set: SetLevel[] = [];
    const reset: LogModule[] = [];
    for (const [module, level] of levels) {
      if (level === null) reset.push(module);
      else set.push({ module, level, endsAt });
    }
    await this.store.change(set, reset, now);
    await this.follow();
  }

  private async follow(): Promise<void> {
    const now = this.clock.now();
    const stored = await this.store.read();
    this.read = new Map(stored.map((each) => [each.module, this.followed(each, now)]));
    const set = new Map([...this.read].filter(([, each]) => isInForce(each, now)));
    this.set = set;
    for (const module of LOG_MODULES) {
      const level = set.get(module)?.level ?? this.logs.configuredOf(module);
      const before = this.logs.levelOf(module);
      if (level === before) continue;
      this.logs.setLevel(module, level);
      const endsAt = set.get(module)?.endsAt;
      this.log.info({ of: module, level, before, endsAt }, 'the level of a module has changed');
    }
  }

  private followed(level: SetLevel, now: Date): Followed {
    const { clock } = this;
    const ms = level.endsAt.getTime() - now.getTime();
    const before = this.read.get(level.module);
    const isKnown = before?.endsAt.getTime() === level.endsAt.getTime();
    return { ...level, left: isKnown ? before.left : timeLeft(clock, ms) };
  }
}

function isInForce({ endsAt, left }: Followed, now: Date): boolean {
  return left() > 0 && isAhead(endsAt.getTime(), now.getTime(), MOST_LEVEL_SECONDS * 1000);
}
