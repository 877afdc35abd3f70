import { Inject, Injectable } from '@nestjs/common';
import { AuditLog, RetentionRecord } from '../../audit/index.js';
import { AppConfig } from '../../config/index.js';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock, DAY_MS } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { longTurn } from '../../common/long-work.js';
import { CallbackStore } from '../callbacks/callback-store.js';
import { decideDeadline } from '../domain/decide-deadline.js';
import { TaskLog } from '../log/task-log.js';
import { ConsentRequests } from '../store/consent-requests.js';
import { TaskTokens } from '../store/task-tokens.js';
import { type KeyCursor, type TaskCursor, TaskStore } from '../store/task-store.js';

const LOOK_EVERY_MS = 1000;
/** Overdue tasks ended at once; more of them follow in turns of their own. */
const MAX_OVERDUE = 100;
const CLEANUP_EVERY_MS = 10 * 60 * 1000;
/** Rows looked at and deleted at once, so that no commit takes long; the store may take fewer. */
const CLEANUP_ROWS = 250;
/** Keys looked at, and tasks deleted, in one commit at most. */
const FORGET_KEYS = 1000;
const FORGET_TASKS = 64;
const LOGS_EVERY_MS = 10_000;
const TOKENS_EVERY_MS = 30_000;
/** A callback that no delegation has taken by then is of no use any more. */
const CALLBACK_KEPT_MS = 60 * 60 * 1000;
/** An append has been committed by then, or never will be. */
const STAGED_MS = 60 * 60 * 1000;

/** How long ended tasks are kept (0: for ever). */
interface CleanupConfig {
  readonly tasks: Pick<AppConfig['tasks'], 'retentionDays'>;
}

/** Ends overdue tasks and delegations, and deletes what has been kept for its time. */
@Injectable()
export class TaskCleanup {
  private readonly jobs: readonly BackgroundJob[];
  private readonly deleted: RetentionRecord;

  constructor(
    @Inject(TaskLog) private readonly log: Pick<TaskLog, 'update' | 'forget'>,
    @Inject(TaskStore)
    private readonly store: Pick<
      TaskStore,
      'overdue' | 'forgetKeys' | 'forgetTasks' | 'forgetTexts' | 'deleteLogPiece'
    >,
    @Inject(CallbackStore) private readonly callbacks: Pick<CallbackStore, 'forget'>,
    @Inject(TaskTokens) tokens: Pick<TaskTokens, 'forget'>,
    @Inject(ConsentRequests) consents: Pick<ConsentRequests, 'forget'>,
    private readonly clock: Clock,
    @Inject(Log) private readonly logger: Pick<Log, 'error' | 'warn' | 'info'>,
    @Inject(AppConfig) private readonly config: CleanupConfig,
    @Inject(AuditLog) audit: Pick<AuditLog, 'record'>,
  ) {
    this.deleted = new RetentionRecord(audit, 'tasks');
    const overdue = {
      name: 'overdue tasks',
      failure: 'looking for overdue tasks failed',
      everyMs: LOOK_EVERY_MS,
      run: (signal: AbortSignal) => this.endOverdue(signal),
    };
    const retention = {
      name: 'task retention',
      failure: 'deleting expired tasks failed',
      everyMs: CLEANUP_EVERY_MS,
      run: (signal: AbortSignal) => this.cleanUp(signal),
    };
    const logs = {
      name: 'logs of deleted tasks',
      failure: 'deleting the logs of deleted tasks failed',
      everyMs: LOGS_EVERY_MS,
      run: (signal: AbortSignal) => inTurns(signal, () => store.deleteLogPiece()),
    };
    const accessTokens = {
      name: 'access tokens of callers',
      failure: 'deleting access tokens of callers failed',
      everyMs: TOKENS_EVERY_MS,
      run: (signal: AbortSignal) => inTurns(signal, () => isFull(tokens.forget(CLEANUP_ROWS))),
    };
    const consentRequests = {
      name: 'requests for consent',
      failure: 'deleting requests for consent failed',
      everyMs: TOKENS_EVERY_MS,
      run: (signal: AbortSignal) => inTurns(signal, () => isFull(consents.forget(CLEANUP_ROWS))),
    };
    this.jobs = [overdue, retention, logs, accessTokens, consentRequests].map(
      (rules) => new BackgroundJob(rules, clock, logger),
    );
  }

  start(): void {
    for (const job of this.jobs) job.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.jobs.map((job) => job.stop()));
  }

  /**
   * Ends all tasks and delegations whose deadline has passed; one that cannot be ended is logged. Ends early when `signal`
   * aborts.
   */
  async endOverdue(signal?: AbortSignal): Promise<void> {
    const { store, clock } = this;
    const now = clock.now();
    let before: ReadonlySet<string> = new Set();
    const step = async (): Promise<boolean> => {
      const found = await store.overdue(now, MAX_OVERDUE);
      // One that could not be ended is found again, and left to the next look.
      const others = found.filter((taskId) => !before.has(taskId));
      await Promise.all(others.map((taskId) => this.endOverdueIn(taskId)));
      before = new Set(found);
      return found.length === MAX_OVERDUE && others.length > 0;
    };
    if (await step()) await inTurns(signal, step);
  }

  private async endOverdueIn(taskId: string): Promise<void> {
    const { log, clock, logger } = this;
    try {
      await log.update(taskId, (aggregate) => ({
        change: decideDeadline(aggregate, clock.now()),
        result: undefined,
      }));
    } catch (error) {
      logger.error({ err: error, taskId }, 'ending an overdue task failed');
    }
  }

  /**
   * Deletes idempotency keys that no longer hold, tasks that ended long ago, callbacks
   * never taken, and texts of appends that were never committed. Ends early when `signal` aborts.
   */
  async cleanUp(signal?: AbortSignal): Promise<void> {
    const { store, callbacks, clock } = this;
    const now = clock.now();
    const calledBefore = new Date(now.getTime() - CALLBACK_KEPT_MS);
    // Before the tasks: a key without an expiry would hold for ever once its task is gone.
    await this.forgetKeys(now, signal);
    await inTurns(signal, () => isFull(callbacks.forget(calledBefore, CLEANUP_ROWS)));
    await this.forgetTasks(now, signal);
    await inTurns(signal, () =>
      isFull(store.forgetTexts(new Date(now.getTime() - STAGED_MS), CLEANUP_ROWS)),
    );
  }

  private async forgetKeys(now: Date, signal?: AbortSignal): Promise<void> {
    let from: KeyCursor | null = null;
    await inTurns(signal, async () => {
      from = await this.store.forgetKeys(now, FORGET_KEYS, from);
      return from !== null;
    });
  }

  private async forgetTasks(now: Date, signal?: AbortSignal): Promise<void> {
    const { store, log } = this;
    const { retentionDays } = this.config.tasks;
    if (retentionDays === 0) return;
    const endedBefore = new Date(now.getTime() - retentionDays * DAY_MS);
    let from: TaskCursor | null = null;
    const step = async (): Promise<boolean> => {
      const { taskIds, next } = await store.forgetTasks(endedBefore, FORGET_TASKS, from, now);
      this.deleted.add(taskIds.length);
      log.forget(taskIds);
      from = next;
      return next !== null;
    };
    await this.deleted.of(endedBefore, () => inTurns(signal, step));
  }
}

/** Step by step, each in a turn of its own, so that other work is not delayed; until a step says that it was the last. */
async function inTurns(
  signal: AbortSignal | undefined,
  step: () => Promise<boolean>,
): Promise<void> {
  while (signal?.aborted !== true) {
    await longTurn();
    if (!(await step())) return;
  }
}

/** A step that may have left some when it deleted as many as it was allowed to. */
async function isFull(deleted: Promise<number>): Promise<boolean> {
  return (await deleted) >= CLEANUP_ROWS;
}
