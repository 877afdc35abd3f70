import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import { storable } from '../../database/text.js';
import { ContextStore, type HubContext } from '../store/context-store.js';
import { ContextEntity } from './context.entity.js';

const CONTEXT = new Table(ContextEntity).select();

/** Contexts in the hub's database. */
@Injectable()
export class SqlContextStore extends ContextStore {
  constructor(private readonly database: Database) {
    super();
  }

  async get(id: string, principalId: string): Promise<HubContext | undefined> {
    const [row] = await this.database.read<DatabaseRow>(
      `SELECT ${CONTEXT.names} FROM contexts WHERE id = ? AND principal_id = ?`,
      [storable(id), principalId],
    );
    return row && { ...CONTEXT.read(row), id };
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

  forget(unusedSince: Date, limit: number): Promise<number> {
    return this.database.write((tx) =>
      tx.run(
        `DELETE FROM contexts WHERE (id, principal_id) IN
           (SELECT id, principal_id FROM contexts WHERE last_used_at < ? LIMIT ?)`,
        [unusedSince.getTime(), limit],
      ),
    );
  }
}
