import { Injectable } from '@nestjs/common';
import type { Visibility } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { taskNotFound } from '../domain/task-errors.js';
import { TaskAudit } from '../audit/task-audit.js';
import { TaskLog } from '../log/task-log.js';
import { type DeleteResult, TaskStore } from '../store/task-store.js';

/** Deletes tasks that have ended before their time is over (`tasks.retention`). */
@Injectable()
export class TaskDeleter {
  constructor(
    private readonly store: TaskStore,
    private readonly log: TaskLog,
    private readonly clock: Clock,
    private readonly audit: TaskAudit,
  ) {}

  /**
   * Throws TASK_NOT_FOUND for a task that does not exist for `visibility`, and CONFLICT for one that has
   * not ended or, unless it `drops` them, has pending cancels or webhook deliveries.
   */
  async delete(taskId: string, visibility: Visibility, drops: boolean): Promise<void> {
    if (!(await this.log.record(taskId, visibility))) throw taskNotFound(taskId);
    let result = await this.store.deleteTask(taskId, this.clock.now(), drops);
    if (result === 'unrecorded') {
      await this.record(taskId);
      result = await this.store.deleteTask(taskId, this.clock.now(), drops);
    }
    if (result === 'unrecorded') throw unrecorded();
    if (result === 'unknown') throw taskNotFound(taskId);
    if (result !== 'deleted') throw new HubError('CONFLICT', WHY_NOT[result]);
    this.log.forget([taskId]);
  }

  private async record(taskId: string): Promise<void> {
    try {
      await this.audit.record(taskId);
    } catch (cause) {
      throw unrecorded(cause);
    }
  }
}

function unrecorded(cause?: unknown): HubError {
  const text =
    'The audit log does not contain the end of the task yet, so it is not deleted: try again in a few seconds.';
  return new HubError('UNAVAILABLE', text, { cause, metadata: { retryAfterSeconds: '2' } });
}

const WHY_NOT: Readonly<
  Record<Exclude<DeleteResult, 'deleted' | 'unknown' | 'unrecorded'>, string>
> = {
  open: 'The task has not ended: cancel it first.',
  agents:
    'A cancel is still to be sent to an agent of the task: try again in a few seconds, or add ?force=true to drop it.',
  webhooks:
    'Webhook deliveries of the task are pending (GET /api/v1/push/deliveries?taskId=…): try again later, or add ?force=true to drop them.',
};
