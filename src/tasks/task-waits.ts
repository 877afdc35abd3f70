import { EVERYTHING } from '../auth/index.js';
import type { Clock } from '../common/clock.js';
import { TaskState } from '../protocol/a2a.js';
import { isInterrupted, isTerminal } from '../protocol/task-state.js';
import type { Signals } from './signals.js';
import { TaskBell, type PollPace } from './task-bell.js';
import type { TaskLog } from './task-log.js';
import type { TaskRecord } from './task.js';

/** Waits for what becomes of a task, whichever process works on it. */
export class TaskWaits {
  constructor(
    private readonly log: TaskLog,
    private readonly signals: Signals,
    private readonly clock: Clock,
    private readonly pace: PollPace,
    /** Aborted when the process is going to stop: all waits end then. */
    private readonly draining?: AbortSignal,
  ) {}

  /**
   * Until the task has ended or waits for its client (A2A §3.1.1), at most `maxMs`. `isNew`: it was
   * created in this very turn, so there is nothing to see before the next ring. `gone` ends the wait:
   * nobody is there for the answer any more.
   */
  settled(taskId: string, maxMs: number, isNew = false, gone?: AbortSignal): Promise<void> {
    const satisfied = ({ state }: TaskRecord): boolean => isTerminal(state) || isInterrupted(state);
    return this.until(taskId, maxMs, satisfied, isNew, gone);
  }

  /** Until an agent has taken the task up, at most `maxMs`. */
  takenUp(taskId: string, maxMs: number, isNew: boolean, gone?: AbortSignal): Promise<void> {
    const satisfied = ({ state }: TaskRecord): boolean => state !== TaskState.TASK_STATE_SUBMITTED;
    return this.until(taskId, maxMs, satisfied, isNew, gone);
  }

  /** Until the task has ended, at most `maxMs`. */
  ended(taskId: string, maxMs: number): Promise<void> {
    return this.until(taskId, maxMs, ({ state }) => isTerminal(state));
  }

  private async until(
    taskId: string,
    maxMs: number,
    satisfied: (record: TaskRecord) => boolean,
    isNew = false,
    gone?: AbortSignal,
  ): Promise<void> {
    const end = this.clock.now().getTime() + maxMs;
    const stops = [this.draining, gone];
    const bell = new TaskBell(this.signals, taskId, this.clock, this.pace, stops);
    try {
      if (isNew && maxMs > 0) await bell.wait(maxMs);
      for (;;) {
        const record = await this.log.record(taskId, EVERYTHING);
        const left = end - this.clock.now().getTime();
        if (!record || satisfied(record) || left <= 0 || bell.stopped) return;
        await bell.wait(left);
      }
    } finally {
      bell.close();
    }
  }
}
