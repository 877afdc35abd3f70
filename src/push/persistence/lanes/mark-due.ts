import { flatten, pieces, typedRows } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { DueMark } from '../../lanes/lane-store.js';

/** In the place of a state: no condition. */
const ALWAYS = -1;
/** In the place of a state: only lanes that are told every event. */
const EVERY = -2;

/**
 * The lanes that have to look, given the SQL of a mark's state. A lane that is not at rest may be about
 * to: it has to look again, whatever it knows. A paused one (active = 2) notes how far the log goes.
 */
function concerned(state: string): string {
  return `active <> 0 AND (every_event = 1 OR ${state} <> ${EVERY} AND (${state} = ${ALWAYS}
    OR active = 2 OR due_at IS NOT NULL OR last_state IS NULL OR last_state <> ${state}))`;
}

const MARK_ONE = `UPDATE push_lanes SET head_seq = ?,
    due_at = CASE WHEN active = 1 THEN COALESCE(due_at, ?) END
  WHERE task_id = ? AND ${concerned('?')}`;

const MARK_TYPES = ['text', 'integer', 'integer'];

/** {@link MARK_ONE} for many tasks. */
function markMany(count: number): string {
  return `WITH mark (task_id, seq, state) AS (VALUES ${typedRows(count, MARK_TYPES)})
    UPDATE push_lanes SET head_seq = mark.seq,
      due_at = CASE WHEN active = 1 THEN COALESCE(due_at, ?) END
    FROM mark WHERE push_lanes.task_id = mark.task_id AND ${concerned('mark.state')}`;
}

function stateOf(when: DueMark['when']): number {
  if (typeof when === 'number') return when;
  return when === 'always' ? ALWAYS : EVERY;
}

/** See `LaneStore.markDue`. */
export function* markDue(tx: Tx, due: readonly DueMark[], now: Date): Work<number> {
  const at = now.getTime();
  let changed = 0;
  if (tx.dialect === 'postgres' && due.length > 1) {
    for (const piece of pieces(due)) {
      const params = flatten(piece, (values, { taskId, seq, when }) => {
        values.push(taskId, seq, stateOf(when));
      });
      changed += yield* tx.run(markMany(piece.length), [...params, at]);
    }
    return changed;
  }
  // Where a statement is no round trip, small ones are the cheapest: most tasks have no lane.
  for (const { taskId, seq, when } of due) {
    const state = stateOf(when);
    changed += yield* tx.run(MARK_ONE, [seq, at, taskId, state, state, state]);
  }
  return changed;
}
