import { Inject, Injectable } from '@nestjs/common';
import { AuditLog } from '../../audit/index.js';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { longTurn } from '../../common/long-work.js';
import { Signal } from '../../common/signal.js';
import { AppConfig } from '../../config/index.js';
import type { Durability } from '../../database/database.js';
import type { Tx, Work } from '../../database/sql.js';
import type { EndedTask, TakenTasks } from '../store/ended-task.js';
import { TaskStore } from '../store/task-store.js';
import { EndedTaskLog } from './ended-task-log.js';
import { entryOf } from './ended-task-entry.js';

const LOOK_EVERY_MS = 1000;
/** Tasks in one commit at most, which must not take long. */
const AT_ONCE = 64;

/**
 * Tells of each task that has ended, in the log and, where `audit.tasks` says so, in the audit log, beside whoever works on tasks: which have ended is noted in the
 * commit that ends them, and taken away in the commit of their entries, so that none is lost or recorded twice.
 */
@Injectable()
export class TaskAudit {
  private readonly job: BackgroundJob;
  private readonly ended = new Signal<EndedTask>();

  constructor(
    private readonly audit: AuditLog,
    @Inject(TaskStore) private readonly store: Pick<TaskStore, 'takeEnded' | 'takeEndedTask'>,
    clock: Clock,
    @Inject(Log) log: Pick<Log, 'warn' | 'info'>,
    @Inject(AppConfig)
    private readonly config: {
      readonly audit: Pick<AppConfig['audit'], 'tasks'>;
      readonly log: Pick<AppConfig['log'], 'tasks'>;
    },
    lines: EndedTaskLog,
  ) {
    if (config.log.tasks) this.onEnded((task) => lines.write(task));
    const rules = {
      name: 'audit of tasks',
      failure: 'ended tasks could not be recorded in the audit log; it is tried again',
      everyMs: LOOK_EVERY_MS,
      run: (signal: AbortSignal) => this.recordAll(signal),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  /** Calls `listener` with each task that has ended and of which this process tells; of each once, but for a crash or a power failure. */
  onEnded(listener: (task: EndedTask) => void): void {
    this.ended.listen(listener);
  }

  start(): void {
    this.job.start();
  }

  /** Waits for what is being recorded; what has ended since is recorded after the next start. */
  async stop(): Promise<void> {
    await this.job.stop();
  }

  /** Records this task now, whatever others wait: it is to be deleted. Rejects when the audit log cannot be written. */
  async record(taskId: string): Promise<void> {
    const { store } = this;
    await this.report(function* (tx) {
      return { tasks: yield* store.takeEndedTask(tx, taskId), isMore: false };
    }, 'durable');
  }

  /** Records all tasks that have ended; ends early when `signal` aborts. Rejects when the audit log cannot be written. */
  async recordAll(signal?: AbortSignal): Promise<void> {
    const { store } = this;
    for (let isMore = true; isMore && signal?.aborted !== true;) {
      await longTurn();
      // What a power failure takes back is recorded again: the notes come back with it.
      isMore = await this.report((tx) => store.takeEnded(tx, AT_ONCE), 'may-be-lost');
    }
  }

  /** Whether there may be more. */
  private async report(
    take: (tx: Tx) => Work<TakenTasks>,
    durability: Durability,
  ): Promise<boolean> {
    const isAudited = this.config.audit.tasks;
    let taken: TakenTasks = { tasks: [], isMore: false };
    await this.audit.recordFrom(function* (tx) {
      taken = yield* take(tx);
      return isAudited ? taken.tasks.map(entryOf) : [];
    }, durability);
    for (const task of taken.tasks) this.ended.emit(task);
    return taken.isMore;
  }
}
