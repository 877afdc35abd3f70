import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import {
  AgentDelegations,
  type DelegationRef,
  type WaitingCount,
  type WaitingDelegation,
  type WorkCounts,
} from '../store/agent-delegations.js';
import { RUNNING_STATES } from '../domain/delegation-state.js';
import { IS_OPEN } from './task-rows.js';

/**
 * What waits for a runner is claimable since ever: the beginning of the index that claims read. (What a
 * runner holds until its agent may be asked is not.)
 */
const WAITING = `FROM delegations WHERE claimable_at = 0 AND state = 'queued'`;

/** What is queued, or works at its agent. */
const RUNNING = `state IN (${RUNNING_STATES.map((state) => `'${state}'`).join(', ')})`;

const WHOSE = 'agent_id, organization, principal_id';

interface Row {
  readonly agent_id: string;
  readonly organization: string;
  readonly principal_id: string;
}

interface CountRow extends Row {
  readonly count: number;
  readonly last_turn_at: number;
}

const WAITING_COUNTS = `SELECT ${WHOSE}, COUNT(*) AS count, MAX(turn_at) AS last_turn_at ${WAITING} GROUP BY ${WHOSE}`;

function waitingCount(row: CountRow): WaitingCount {
  return { ...whose(row), count: row.count, lastTurnAt: row.last_turn_at };
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
    const rows = await this.database.read<CountRow>(WAITING_COUNTS);
    return rows.map(waitingCount);
  }

  async workOf(owner: string): Promise<WorkCounts> {
    // One statement sees one moment. What is claimable since ever and not queued was given back when its runner stopped.
    const rows = await this.database.read<CountRow>(
      `${WAITING_COUNTS}
       UNION ALL
       SELECT agent_id, NULL, NULL, COUNT(*), 0 FROM delegations
       WHERE claimable_at = 0 AND ${RUNNING} AND state <> 'queued' GROUP BY agent_id
       UNION ALL
       SELECT agent_id, NULL, NULL, COUNT(*), 0 FROM delegations
       WHERE owner IS NOT NULL AND owner <> ? AND ${RUNNING} GROUP BY agent_id`,
      [owner],
    );
    const elsewhere = new Map<string, number>();
    const waiting: WaitingCount[] = [];
    for (const row of rows) {
      if (row.organization !== null) waiting.push(waitingCount(row));
      else elsewhere.set(row.agent_id, (elsewhere.get(row.agent_id) ?? 0) + row.count);
    }
    return { waiting, elsewhere };
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
