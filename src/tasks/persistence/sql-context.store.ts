import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { listOf } from '../../database/multi-row.js';
import { storable } from '../../database/text.js';
import { ContextStore } from '../store/context-store.js';
import type { UsageOwner } from '../store/usage.js';

/** Contexts by the tasks in the hub's database. */
@Injectable()
export class SqlContextStore extends ContextStore {
  constructor(private readonly database: Database) {
    super();
  }

  async affinity(
    id: string,
    { principalId, organization }: UsageOwner,
    since: Date,
  ): Promise<string[]> {
    const rows = await this.database.read<{ agent: string }>(
      `SELECT agent_id AS agent FROM delegations
       WHERE step = 0 AND task_id =
         (SELECT id FROM tasks
          WHERE context_id = ? AND principal_id = ? AND organization = ? AND created_at >= ?
          ORDER BY created_at DESC, id DESC LIMIT 1)
       ORDER BY position`,
      [storable(id), principalId, organization, since.getTime()],
    );
    return rows.map(({ agent }) => agent);
  }

  async downstream(
    id: string,
    { principalId, organization }: UsageOwner,
    agentId: string,
    registrations: readonly Date[],
  ): Promise<string | undefined> {
    const [oldest] = await this.database.read<{ downstream: string }>(
      // Written as a cross join and in the order of an index, SQLite goes through the tasks of the context up to the first
      // that has one. It would rather begin with all delegations of the agent.
      `SELECT d.downstream_context_id AS downstream
       FROM tasks t CROSS JOIN delegations d
       WHERE t.context_id = ? AND t.principal_id = ? AND t.organization = ?
         AND d.task_id = t.id AND d.agent_id = ? AND d.downstream_context_id IS NOT NULL
         AND (d.agent_since IS NULL OR d.agent_since IN ${listOf(registrations.length)})
       ORDER BY t.created_at, t.id, d.position LIMIT 1`,
      [
        ...[storable(id), principalId, organization, agentId],
        ...registrations.map((each) => each.getTime()),
      ],
    );
    return oldest?.downstream;
  }
}
