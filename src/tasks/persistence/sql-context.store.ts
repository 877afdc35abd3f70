import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
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

  async downstream(id: string, principalId: string, agentId: string): Promise<string | undefined> {
    const key = [storable(id), principalId, agentId];
    const [oldest] = await this.database.read<{ downstream: string }>(
      `SELECT d.downstream_context_id AS downstream
       FROM tasks t JOIN delegations d ON d.task_id = t.id
       WHERE t.context_id = ? AND t.principal_id = ? AND d.agent_id = ?
         AND d.downstream_context_id IS NOT NULL
       ORDER BY d.created_at, d.id LIMIT 1`,
      key,
    );
    return oldest?.downstream;
  }
}
