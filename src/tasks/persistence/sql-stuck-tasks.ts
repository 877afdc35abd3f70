import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { AppConfig } from '../../config/index.js';
import { Database } from '../../database/database.js';
import type { SqlValue } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import { TaskState } from '../../protocol/a2a.js';
import {
  MOST_LOOKED_AT,
  STUCK_STATES,
  type StuckCount,
  type StuckState,
  stuckSince,
  type StuckTask,
  StuckTasks,
} from '../store/stuck-tasks.js';

/** {@link StuckTasks} in the hub's database: each state reads the beginning of one index, and its rows. */
@Injectable()
export class SqlStuckTasks extends StuckTasks {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {
    super();
  }

  async count(organization: string | null): Promise<StuckCount> {
    const [submitted, working] = await Promise.all([
      this.countIn(TaskState.TASK_STATE_SUBMITTED, organization),
      this.countIn(TaskState.TASK_STATE_WORKING, organization),
    ]);
    return {
      submitted: submitted.stuck,
      working: working.stuck,
      isLeast: Math.max(submitted.looked, working.looked) >= MOST_LOOKED_AT,
    };
  }

  async longest(organization: string | null, most: number): Promise<readonly StuckTask[]> {
    const found = await Promise.all(
      STUCK_STATES.map((state) => this.longestIn(state, organization, most)),
    );
    return found
      .flat()
      .sort((a, b) => a.changedAt.getTime() - b.changedAt.getTime())
      .slice(0, most);
  }

  private async countIn(
    state: StuckState,
    organization: string | null,
  ): Promise<{ looked: number; stuck: number }> {
    const { before, sql, params } = this.oldest(state, organization);
    const [row] = await this.database.read<{ looked: number; stuck: number | null }>(
      `SELECT COUNT(*) AS looked, SUM(CASE WHEN updated_at < ? THEN 1 ELSE 0 END) AS stuck
       FROM (${sql}) AS oldest`,
      [before, ...params],
    );
    return { looked: Number(row?.looked ?? 0), stuck: Number(row?.stuck ?? 0) };
  }

  private async longestIn(
    state: StuckState,
    organization: string | null,
    most: number,
  ): Promise<StuckTask[]> {
    const { before, sql, params } = this.oldest(state, organization);
    const rows = await this.database.read<{ id: string; updated_at: number }>(
      `SELECT id, updated_at FROM (${sql}) AS oldest WHERE updated_at < ? ORDER BY updated_at, id LIMIT ?`,
      [...params, before, most],
    );
    return rows.map(({ id, updated_at: at }) => ({ id, state, changedAt: new Date(at) }));
  }

  /** Those that have had their status longest. What has changed last before then has had it since before then. */
  private oldest(
    state: StuckState,
    organization: string | null,
  ): { before: number; sql: string; params: SqlValue[] } {
    const before = stuckSince(this.config.tasks, this.clock.now())[state].getTime();
    const isOf = organization === null ? '' : 'organization = ? AND ';
    return {
      before,
      sql: `SELECT id, updated_at FROM tasks WHERE ${isOf}state = ? AND status_at < ?
        ORDER BY status_at LIMIT ${MOST_LOOKED_AT}`,
      params: [...(organization === null ? [] : [storable(organization)]), state, before],
    };
  }
}
