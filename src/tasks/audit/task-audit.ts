import { Inject, Injectable } from '@nestjs/common';
import { AuditLog } from '../../audit/index.js';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { longTurn } from '../../common/long-work.js';
import { TaskStore } from '../store/task-store.js';
import { entryOf } from './ended-task-entry.js';

const LOOK_EVERY_MS = 1000;
/** Tasks in one commit, which must not take long. */
const AT_ONCE = 64;

/**
 * Records each task that has ended in the audit log, beside whoever works on tasks: which have ended is noted in the
 * commit that ends them, and taken away in the commit of their entries, so that none is lost or recorded twice.
 */
@Injectable()
export class TaskAudit {
  private readonly job: BackgroundJob;

  constructor(
    private readonly audit: AuditLog,
    @Inject(TaskStore) private readonly store: Pick<TaskStore, 'takeEnded' | 'takeEndedTask'>,
    clock: Clock,
    @Inject(Log) log: Pick<Log, 'warn' | 'info'>,
  ) {
    const rules = {
      name: 'audit of tasks',
      failure: 'ended tasks could not be recorded in the audit log; it is tried again',
      everyMs: LOOK_EVERY_MS,
      run: (signal: AbortSignal) => this.recordAll(signal),
    };
    this.job = new BackgroundJob(rules, clock, log);
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
    await this.audit.recordFrom(function* (tx) {
      return (yield* store.takeEndedTask(tx, taskId)).map(entryOf);
    });
  }

  /** Records all tasks that have ended; ends early when `signal` aborts. Rejects when the audit log cannot be written. */
  async recordAll(signal?: AbortSignal): Promise<void> {
    const { store } = this;
    for (let taken = AT_ONCE; taken === AT_ONCE && signal?.aborted !== true;) {
      await longTurn();
      // What a power failure takes back is recorded again: the notes come back with it.
      taken = await this.audit.recordFrom(function* (tx) {
        return (yield* store.takeEnded(tx, AT_ONCE)).map(entryOf);
      }, 'may-be-lost');
    }
  }
}
