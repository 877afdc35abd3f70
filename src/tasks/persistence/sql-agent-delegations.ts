import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import {
  AgentDelegations,
  type DelegationRef,
  type WaitingCount,
  type WaitingDelegation,
} from '../store/agent-delegations.js';
import { IS_OPEN } from './task-rows.js';

/**
 * What waits for a runner is claimable since ever: the beginning of the index that claims read. (What a
 * runner holds until its agent may be asked is not.)
 */
const WAITING = `FROM delegations WHERE claimable_at = 0 AND state = 'queued'`;

const WHOSE = 'agent_id, organization, principal_id';

interface Row {
  readonly agent_id: string;
  readonly organization: string;
  readonly principal_id: string;
}

function whose({ agent_id, organization, principal_id }: Row) {
  return { agentId: agent_id, organization, principalId: principal_id };
}

/** {@link AgentDelegations} in the hub's database. */
@Injectable()
export class SqlAgentDelegations extends AgentDelegations {
  constructor(private readonly database: Database) {
    super();
  }

  async waiting(): Promise<WaitingDelegation[]> {
    const rows = await this.database.read<Row & { id: string; turn_at: number }>(
      `SELECT id, ${WHOSE}, turn_at ${WAITING}`,
    );
    return rows.map((row) => ({ id: row.id, ...whose(row), turnAt: row.turn_at }));
  }

  async waitingByPrincipal(): Promise<WaitingCount[]> {
    const rows = await this.database.read<Row & { count: number; last_turn_at: number }>(
      `SELECT ${WHOSE}, COUNT(*) AS count, MAX(turn_at) AS last_turn_at ${WAITING} GROUP BY ${WHOSE}`,
    );
    return rows.map((row) => ({
      ...whose(row),
      count: row.count,
      lastTurnAt: row.last_turn_at,
    }));
  }

  async open(agentId: string, after: string, limit: number): Promise<DelegationRef[]> {
    // Few are open of all that an agent ever had: their index is read, which has them in this order.
    const rows = await this.database.read<{ id: string; task_id: string }>(
      `SELECT id, task_id FROM delegations
       WHERE due_at IS NOT NULL AND agent_id = ? AND ${IS_OPEN} AND id > ?
       ORDER BY id LIMIT ?`,
      [agentId, after, limit],
    );
    return rows.map((row) => ({ id: row.id, taskId: row.task_id }));
  }
}
