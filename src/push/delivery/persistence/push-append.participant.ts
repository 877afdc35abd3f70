import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { flatten, typedRows } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { type AfterCommit, AppendParticipant, type Appended } from '../../../tasks/index.js';
import { type DueWhen, dueWhen } from '../domain/delivery-plan.js';
import { PushWakeup } from '../push-wakeup.js';
import { SubscriptionStreams } from '../subscription-streams.js';
import { forgetWebhooks } from './forget-webhooks.js';

/** A task whose log grew, as its streams see it. */
export interface DueMark {
  readonly taskId: string;
  readonly seq: number;
  readonly when: DueWhen;
}

/**
 * Makes the streams of a task due in the very transaction of its events (design.md, rule 6). Batches
 * with nothing for a webhook, such as chunks where no webhook asked for every event, cost no statement.
 */
@Injectable()
export class PushAppendParticipant extends AppendParticipant {
  constructor(
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
    let due = marks.length === 0 ? 0 : yield* markDue(tx, marks, now);
    // Behind the marks: what begins now is new to them.
    due += yield* this.subscriptions.begin(tx, batch, now);
    if (due > 0) return () => this.wakeup.notify();
  }

  forgetting(tx: Tx, taskIds: readonly string[], drops = false): Work<readonly string[]> {
    return forgetWebhooks(tx, taskIds, drops);
  }
}

/** In the place of a state: no condition. No state has this number: those of the protocol are 0 and more, -1 is one it does not know. */
const ALWAYS = -100;
/** In the place of a state: only streams that deliver every event. */
const EVERY = -200;

/**
 * The streams that have to look, given the SQL of a mark's state. A stream that is not idle may be about
 * to: it has to look again, whatever it knows. A paused one (active = 2) notes how far the log goes.
 */
function concerned(state: string): string {
  return `active <> 0 AND (every_event = 1 OR ${state} <> ${EVERY} AND (${state} = ${ALWAYS}
    OR active = 2 OR due_at IS NOT NULL OR last_state IS NULL OR last_state <> ${state}))`;
}

const MARK_ONE = `UPDATE push_delivery_streams SET head_seq = ?,
    due_at = CASE WHEN active = 1 THEN COALESCE(due_at, ?) END
  WHERE task_id = ? AND ${concerned('?')}`;

const MARK_TYPES = ['text', 'integer', 'integer'];

/**
 * {@link MARK_ONE} for many tasks. The streams are locked in the order of their ids, in one statement for all
 * of the tasks, so that two who change the same streams wait for each other and not both.
 */
function markMany(count: number): string {
  return `WITH mark (task_id, seq, state) AS (VALUES ${typedRows(count, MARK_TYPES)}),
    held AS (SELECT push_delivery_streams.id, mark.seq FROM push_delivery_streams
      JOIN mark ON push_delivery_streams.task_id = mark.task_id WHERE ${concerned('mark.state')}
      ORDER BY push_delivery_streams.id FOR UPDATE OF push_delivery_streams)
    UPDATE push_delivery_streams SET head_seq = held.seq,
      due_at = CASE WHEN active = 1 THEN COALESCE(due_at, ?) END
    FROM held WHERE push_delivery_streams.id = held.id`;
}

function stateOf(when: DueMark['when']): number {
  if (typeof when === 'number') return when;
  return when === 'always' ? ALWAYS : EVERY;
}

/** Makes the streams of these tasks due, in the transaction of their events; how many are. */
export function* markDue(tx: Tx, due: readonly DueMark[], now: Date): Work<number> {
  const at = now.getTime();
  if (tx.dialect === 'postgres' && due.length > 1) {
    const params = flatten(due, (values, { taskId, seq, when }) => {
      values.push(taskId, seq, stateOf(when));
    });
    return yield* tx.run(markMany(due.length), [...params, at]);
  }
  let changed = 0;
  // Where a statement is no round trip, small ones are the cheapest: most tasks have no stream.
  for (const { taskId, seq, when } of due) {
    const state = stateOf(when);
    changed += yield* tx.run(MARK_ONE, [seq, at, taskId, state, state, state]);
  }
  return changed;
}
