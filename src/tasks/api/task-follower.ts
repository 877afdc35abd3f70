import { Injectable } from '@nestjs/common';
import { EVERYTHING } from '../../auth/index.js';
import type { EventFeed } from '../../common/http/event-feed.js';
import { LONG } from '../../common/long-work.js';
import { isTerminal } from '../../protocol/task-state.js';
import { taskNotFound } from '../domain/task-errors.js';
import { TaskLog } from '../log/task-log.js';
import { textOf } from '../log/text-of-events.js';
import { UpdateWaiters } from '../signals/update-waiter.js';
import type { FoundTask } from '../store/task-store.js';
import type { TaskEvent } from '../task.js';

const PAGE_SIZE = 100;

/** Sends what happens to a task, wherever it runs, until it has ended. */
@Injectable()
export class TaskFollower {
  constructor(
    private readonly log: TaskLog,
    private readonly waiters: UpdateWaiters,
  ) {}

  /**
   * `task`, the task with its delegations: at first, and when one of them has changed; an `event` for each entry of the log after
   * `after`; at last `end`. Ends early when `gone` aborts. Throws TASK_NOT_FOUND when the task is deleted meanwhile.
   */
  async follow(
    taskId: string,
    after: number,
    feed: EventFeed,
    shown: (task: FoundTask) => Promise<unknown>,
    gone: AbortSignal,
  ): Promise<void> {
    const waiter = this.waiters.of(taskId, gone);
    let seq = after;
    let known = '';
    try {
      while (!gone.aborted && !waiter.stopped) {
        const task = await this.log.withoutContents(taskId, EVERYTHING);
        if (task === undefined) throw taskNotFound(taskId);
        const present = fingerprintOf(task);
        if (present !== known) {
          feed.send({ id: String(seq), event: 'task', data: await shown(task) });
          known = present;
        }
        seq = await this.sendEvents(taskId, seq, feed, gone);
        if (isTerminal(task.record.state) && seq >= task.record.seq) {
          feed.send({ id: String(seq), event: 'end', data: { seq } });
          return;
        }
        await waiter.wait();
      }
    } finally {
      waiter.close();
    }
  }

  /** All events there are; the number of the last. */
  private async sendEvents(
    taskId: string,
    after: number,
    feed: EventFeed,
    gone: AbortSignal,
  ): Promise<number> {
    for (let seq = after; ;) {
      const page = await this.log.events(taskId, seq, PAGE_SIZE, LONG);
      for (const event of page) {
        if (gone.aborted) return seq;
        feed.sendText({ id: String(event.seq), event: 'event', data: textOfEvent(event) });
        await feed.taken();
        seq = event.seq;
      }
      if (page.length < PAGE_SIZE && textOf(page) < LONG) return seq;
    }
  }
}

/** As `TaskEventDto` is written; its body is JSON already, and may be large. */
function textOfEvent({ seq, kind, at, body }: TaskEvent): string {
  const head = JSON.stringify({ seq, kind, at: at.toISOString() });
  return `${head.slice(0, -1)},"body":${body}}`;
}

/** Another text after every change of what `task` events show, but for the number of the newest event. */
function fingerprintOf({ record, delegations }: FoundTask): string {
  const { state, statusAt, cancelRequestedAt } = record;
  const parts = delegations.map(({ id, state: own, agentId, epoch, calls, reason, progress }) => [
    ...[id, own, agentId, epoch, calls, reason],
    progress.times,
    progress.attempts?.length,
  ]);
  return JSON.stringify([state, statusAt, cancelRequestedAt, parts]);
}
