import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { AppConfig } from '../../config/index.js';
import { Database } from '../../database/database.js';
import { DiskWatch } from '../../database/disk-watch.js';
import { WorkerWatch } from '../../database/worker-watch.js';
import { countOf, durationOf } from '../domain/words.js';
import { DatabaseTime } from './database-time.js';
import { fine, type HealthFinding, wrong } from './health-check.js';

/** An answer of the database that takes longer is told. */
const SLOW_MS = 250;
/** Clocks may differ by as much: leases and tokens allow for it. */
const CLOCK_MS = 2000;
const MIB = 1024 * 1024;

/** How the hub itself stands: what all of its work needs. */
@Injectable()
export class HubHealth {
  constructor(
    private readonly data: Database,
    private readonly time: DatabaseTime,
    private readonly space: DiskWatch,
    private readonly watch: WorkerWatch,
    private readonly config: AppConfig,
    private readonly now: Clock,
  ) {}

  async database(): Promise<HealthFinding> {
    const name = this.data.dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL';
    const began = performance.now();
    try {
      await this.data.check();
    } catch (error) {
      return wrong(
        'failing',
        `${name} does not answer, or its migrations are not done: ${(error as Error).message}`,
        'Nothing is taken in until it answers. Look at the database and database.url; migrations run at the start of a process, or by "migrate" (docs/operate.md).',
      );
    }
    const tookMs = performance.now() - began;
    const summary = `${name} answers in ${durationOf(tookMs)}, and its tables are of this version.`;
    return tookMs < SLOW_MS
      ? fine(summary)
      : wrong(
          'warning',
          summary,
          'Every message waits for it several times: look at its load, its disk and the network to it.',
        );
  }

  async clock(): Promise<HealthFinding> {
    const before = this.now.now().getTime();
    const theirs = await this.time.now();
    if (theirs === null) return fine('The database goes by the clock of this process.');
    const ours = (before + this.now.now().getTime()) / 2;
    const apart = Math.abs(ours - theirs);
    const summary = `The clock of this process and that of the database are ${durationOf(apart)} apart.`;
    return apart <= CLOCK_MS
      ? fine(summary)
      : wrong(
          'warning',
          summary,
          'Set both by NTP: leases of tasks, the times of tokens and the limits of a second go by them.',
        );
  }

  disk(): HealthFinding {
    const { space, isLow } = this.space;
    if (space === null) {
      return fine('The hub cannot see the disk of this database: watch that of its server.');
    }
    const free = space.free + space.reusable;
    const { minFree } = this.config.database;
    const summary = `${mebibytes(free)} are free, ${mebibytes(space.used)} used; the least is ${mebibytes(minFree)} (database.minFree).`;
    const advice =
      'Make space: shorten tasks.retention, delete ended tasks or data of tenants, or enlarge the disk (docs/operate.md).';
    if (isLow) return wrong('failing', `${summary} New tasks and messages are refused.`, advice);
    return free < 2 * minFree ? wrong('warning', summary, advice) : fine(summary);
  }

  workers(): HealthFinding {
    const { count = 0, hasNoWorkers } = this.watch;
    if (!hasNoWorkers) return fine(`${countOf(count, 'worker')} for tasks and webhooks.`);
    return wrong(
      'failing',
      'No process works on tasks and webhooks: they wait.',
      'Start a process with the role worker or all on the same database.',
    );
  }
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MIB).toLocaleString('en')} MiB`;
}
