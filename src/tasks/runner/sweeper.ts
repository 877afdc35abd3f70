import type { Clock } from '../../common/clock.js';
import type { Log } from '../../common/logger.js';
import type { CallbackStore } from '../callbacks/callback-store.js';
import type { ContextStore } from '../context-store.js';
import { decideDeadline } from '../domain/decide-deadline.js';
import type { TaskLog } from '../task-log.js';
import type { TaskCursor, TaskStore } from '../task-store.js';
import { OVER } from '../over.js';

const LOOK_EVERY_MS = 1000;
/** Overdue tasks ended at once; more are left to the next second. */
const MAX_OVERDUE = 100;
const TIDY_EVERY_MS = 10 * 60 * 1000;
/** Rows deleted at once, so that no commit takes long. */
const TIDY_ROWS = 1000;
/** Tasks deleted in one commit at most. */
const FORGET_TASKS = 100;
/** A callback that nobody has waited for by then is of no use any more. */
const CALLBACK_KEPT_MS = 60 * 60 * 1000;
/** An append has been committed by then, or never will be. */
const STAGED_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface SweeperDeps {
  readonly log: Pick<TaskLog, 'update' | 'forget'>;
  readonly store: Pick<TaskStore, 'overdue' | 'forgetKeys' | 'forgetTasks' | 'forgetTexts'>;
  readonly contexts: Pick<ContextStore, 'forget'>;
  readonly callbacks: Pick<CallbackStore, 'forget'>;
  readonly clock: Clock;
  readonly logger: Pick<Log, 'error'>;
  /** How long an unused context is remembered. */
  readonly contextTtlDays: number;
  /** How long a task is kept after its end; 0 for ever. */
  readonly retentionDays: number;
}

/** Ends what has run out of time, and now and then deletes what has been kept long enough. */
export class Sweeper {
  private readonly stopping = new AbortController();
  private sweeping: Promise<void> = Promise.resolve();

  constructor(private readonly deps: SweeperDeps) {}

  start(): void {
    this.sweeping = this.loop();
  }

  async stop(): Promise<void> {
    this.stopping.abort(OVER);
    await this.sweeping;
  }

  /** Ends all tasks and delegations whose deadline has passed; one that cannot be ended is logged. */
  async endOverdue(): Promise<void> {
    const { store, clock } = this.deps;
    const taskIds = await store.overdue(clock.now(), MAX_OVERDUE);
    await Promise.all(taskIds.map((taskId) => this.endOverdueIn(taskId)));
  }

  private async endOverdueIn(taskId: string): Promise<void> {
    const { log, clock, logger } = this.deps;
    try {
      await log.update(taskId, (aggregate) => ({
        change: decideDeadline(aggregate, clock.now()),
        result: undefined,
      }));
    } catch (error) {
      logger.error({ err: error, taskId }, 'an overdue task could not be ended');
    }
  }

  /**
   * Deletes contexts nobody has used for long, idempotency keys that hold no more, tasks that ended long
   * ago, callbacks that nobody took, and texts of appends that never came.
   */
  async tidy(): Promise<void> {
    const { contexts, store, callbacks, clock, contextTtlDays } = this.deps;
    const now = clock.now();
    const unusedSince = new Date(now.getTime() - contextTtlDays * DAY_MS);
    const calledBefore = new Date(now.getTime() - CALLBACK_KEPT_MS);
    await this.all(() => contexts.forget(unusedSince, TIDY_ROWS));
    // Before the tasks: a key without an expiry would hold for ever once its task is gone.
    await this.all(() => store.forgetKeys(now, TIDY_ROWS));
    await this.all(() => callbacks.forget(calledBefore, TIDY_ROWS));
    await this.forgetTasks(now);
    await this.all(() => store.forgetTexts(new Date(now.getTime() - STAGED_MS), TIDY_ROWS));
  }

  private async forgetTasks(now: Date): Promise<void> {
    const { store, log, retentionDays } = this.deps;
    if (retentionDays === 0) return;
    const endedBefore = new Date(now.getTime() - retentionDays * DAY_MS);
    let from: TaskCursor | null = null;
    while (!this.stopping.signal.aborted) {
      const { taskIds, next } = await store.forgetTasks(endedBefore, FORGET_TASKS, from, now);
      log.forget(taskIds);
      if (next === null) return;
      from = next;
    }
  }

  /** Piece by piece, so that other writes come in between. */
  private async all(forgetSome: () => Promise<number>): Promise<void> {
    while (!this.stopping.signal.aborted) if ((await forgetSome()) < TIDY_ROWS) return;
  }

  private async loop(): Promise<void> {
    const { clock } = this.deps;
    const { signal } = this.stopping;
    let tidiedAt = clock.now().getTime();
    for (;;) {
      await clock.sleep(LOOK_EVERY_MS, signal);
      if (signal.aborted) return;
      await this.attempt('overdue tasks could not be looked for', () => this.endOverdue());
      const now = clock.now().getTime();
      if (now - tidiedAt < TIDY_EVERY_MS) continue;
      tidiedAt = now;
      await this.attempt('what is kept no more could not be deleted', () => this.tidy());
    }
  }

  /** What cannot be done now is done the next time. */
  private async attempt(failure: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.deps.logger.error({ err: error }, failure);
    }
  }
}
