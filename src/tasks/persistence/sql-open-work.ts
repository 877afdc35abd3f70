import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { storable } from '../../database/text.js';
import type { TaskState } from '../../protocol/a2a.js';
import { OpenWork, type QueueOf } from '../store/open-work.js';

/** {@link OpenWork} in the hub's database: each count reads the beginning of one index. */
@Injectable()
export class SqlOpenWork extends OpenWork {
  constructor(private readonly database: Database) {
    super();
  }

  async inState(state: TaskState, organization: string | null, most: number): Promise<number> {
    const isOf = organization === null ? '' : 'organization = ? AND ';
    const [row] = await this.database.read<{ total: number }>(
      `SELECT COUNT(*) AS total FROM
         (SELECT 1 FROM tasks WHERE ${isOf}state = ? LIMIT ?) AS counted`,
      [...(organization === null ? [] : [storable(organization)]), state, most],
    );
    return row?.total ?? 0;
  }

  async oldestQueued(queues: readonly QueueOf[]): Promise<Date | null> {
    if (queues.length === 0) return null;
    const firsts = queues.map(
      (_, index) =>
        `SELECT since FROM (SELECT COALESCE(begun_at, created_at) AS since FROM delegations
           WHERE claimable_at = 0 AND cancel_pending = 0 AND agent_id = ? AND organization = ?
           ORDER BY turn_at, id LIMIT 1) AS q${index}`,
    );
    const [row] = await this.database.read<{ since: number | null }>(
      `SELECT MIN(since) AS since FROM (${firsts.join(' UNION ALL ')}) AS firsts`,
      queues.flatMap(({ agentId, organization }) => [agentId, storable(organization)]),
    );
    return row?.since == null ? null : new Date(row.since);
  }
}
