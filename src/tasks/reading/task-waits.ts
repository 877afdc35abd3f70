import { Inject, Injectable } from '@nestjs/common';
import { EVERYTHING } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { timeLeft } from '../../common/time-left.js';
import { TaskState } from '../../protocol/a2a.js';
import { isInterrupted, isTerminal } from '../../protocol/task-state.js';
import { UpdateWaiters } from '../signals/update-waiter.js';
import { TaskLog } from '../log/task-log.js';
import type { TaskRecord } from '../task.js';

/** Waits for what becomes of a task, whichever process works on it. All waits end when this process drains. */
@Injectable()
export class TaskWaits {
  constructor(
    private readonly log: TaskLog,
    @Inject(UpdateWaiters) private readonly waiters: Pick<UpdateWaiters, 'of'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Until the task has ended or waits for its client (A2A §3.1.1), at most `maxMs`. `isNew`: it was
   * created in this very turn, so there is nothing to see before the next update. `gone` ends the wait:
   * the caller has left.
   */
  endedOrInterrupted(
    taskId: string,
    maxMs: number,
    isNew = false,
    gone?: AbortSignal,
  ): Promise<void> {
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
    const timeToWait = timeLeft(this.clock, maxMs);
    const waiter = this.waiters.of(taskId, gone);
    try {
      if (isNew && maxMs > 0) await waiter.wait(maxMs);
      for (;;) {
        const record = await this.log.record(taskId, EVERYTHING);
        const left = timeToWait();
        if (!record || satisfied(record) || left <= 0 || waiter.stopped) return;
        await waiter.wait(left);
      }
    } finally {
      waiter.close();
    }
  }
}
