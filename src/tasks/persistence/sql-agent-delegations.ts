import type { Database } from '../../database/database.js';
import { AgentDelegations, type DelegationRef } from '../agent-delegations.js';
import { IS_OPEN } from './task-rows.js';

/**
 * What waits for a runner is claimable since ever: the beginning of the index that claims read. (What a
 * runner holds until its agent may be asked is not.)
 */
const WAITING = `FROM delegations WHERE claimable_at = 0 AND state = 'queued'`;

/** {@link AgentDelegations} in the hub's database. */
export class SqlAgentDelegations extends AgentDelegations {
  constructor(private readonly database: Pick<Database, 'read'>) {
    super();
  }

  async waiting(): Promise<{ id: string; agentId: string }[]> {
    const rows = await this.database.read<{ id: string; agent_id: string }>(
      `SELECT id, agent_id ${WAITING}`,
    );
    return rows.map((row) => ({ id: row.id, agentId: row.agent_id }));
  }

  async waitingByAgent(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.read<{ agent_id: string; count: number | string }>(
      `SELECT agent_id, COUNT(*) AS count ${WAITING} GROUP BY agent_id`,
    );
    return new Map(rows.map((row) => [row.agent_id, Number(row.count)]));
  }

  async open(agentId: string, after: string, limit: number): Promise<DelegationRef[]> {
    // Few are open of all that an agent ever had: their index is read (the concatenation keeps the
    // planner from the other one), not the agent's.
    const rows = await this.database.read<{ id: string; task_id: string }>(
      `SELECT id, task_id FROM delegations
       WHERE due_at > 0 AND agent_id || '' = ? AND ${IS_OPEN} AND id > ?
       ORDER BY id LIMIT ?`,
      [agentId, after, limit],
    );
    return rows.map((row) => ({ id: row.id, taskId: row.task_id }));
  }
}
