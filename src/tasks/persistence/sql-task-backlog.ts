import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { TaskState } from '../../protocol/a2a.js';
import {
  MOST_COUNTED,
  type OpenState,
  type OpenTasks,
  TaskBacklog,
} from '../store/task-backlog.js';

const OPEN: readonly OpenState[] = [
  TaskState.TASK_STATE_SUBMITTED,
  TaskState.TASK_STATE_WORKING,
  TaskState.TASK_STATE_INPUT_REQUIRED,
  TaskState.TASK_STATE_AUTH_REQUIRED,
];

/** Each part reads the beginning of `tasks_state_idx` (state, status_at, id) and no more. */
const READ = `SELECT
    (SELECT COUNT(*) FROM (SELECT 1 FROM tasks WHERE state = ? LIMIT ${MOST_COUNTED}) AS counted) AS total,
    (SELECT status_at FROM tasks WHERE state = ? ORDER BY status_at LIMIT 1) AS oldest`;

/** {@link TaskBacklog} in the hub's database. */
@Injectable()
export class SqlTaskBacklog extends TaskBacklog {
  constructor(private readonly database: Database) {
    super();
  }

  async read(): Promise<readonly OpenTasks[]> {
    const found: OpenTasks[] = [];
    for (const state of OPEN) {
      const [row] = await this.database.read<{ total: number; oldest: number | null }>(READ, [
        state,
        state,
      ]);
      if (row === undefined) continue;
      const { total: count, oldest } = row;
      found.push({ state, count, oldestAt: oldest === null ? null : new Date(oldest) });
    }
    return found;
  }
}
