import { flatten, typedRows } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { DueMark } from '../delivery-stream-store.js';

/** In the place of a state: no condition. */
const ALWAYS = -1;
/** In the place of a state: only streams that deliver every event. */
const EVERY = -2;

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

/** See `DeliveryStreamStore.markDue`. */
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
