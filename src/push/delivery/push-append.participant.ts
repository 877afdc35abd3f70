import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { Tx, Work } from '../../database/sql.js';
import { type AfterCommit, AppendParticipant, type Appended } from '../../tasks/index.js';
import { dueWhen } from './domain/due-mark.js';
import { type DueMark, DeliveryStreamStore } from './delivery-stream-store.js';
import { PushWakeup } from './push-wakeup.js';
import { SubscriptionStreams } from './subscription-streams.js';

/**
 * Makes the streams of a task due in the very transaction of its events (design.md, rule 6). Batches
 * with nothing for a webhook, such as chunks where no webhook asked for every event, cost no statement.
 */
@Injectable()
export class PushAppendParticipant extends AppendParticipant {
  constructor(
    private readonly streams: DeliveryStreamStore,
    private readonly subscriptions: SubscriptionStreams,
    private readonly clock: Clock,
    private readonly wakeup: PushWakeup,
  ) {
    super();
  }

  *appended(tx: Tx, batch: readonly Appended[]): Work<AfterCommit | void> {
    const marks: DueMark[] = [];
    for (const { taskId, events, everyEvent } of batch) {
      const when = dueWhen(events, everyEvent);
      const seq = events.at(-1)?.seq;
      if (when !== null && seq !== undefined) marks.push({ taskId, seq, when });
    }
    const now = this.clock.now();
    let due = marks.length === 0 ? 0 : yield* this.streams.markDue(tx, marks, now);
    // Behind the marks: what begins now is new to them.
    due += yield* this.subscriptions.begin(tx, batch, now);
    if (due > 0) return () => this.wakeup.notify();
  }

  forgetting(tx: Tx, taskIds: readonly string[], drops = false): Work<readonly string[]> {
    return this.streams.forgetTasks(tx, taskIds, drops);
  }
}
