import type { Database } from '../../database/database.js';
import type { Tx, Work } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import { ContextStore, type HubContext } from '../context-store.js';

interface ContextRow {
  id: string;
  principal_id: string;
  organization: string;
  affinity: string;
  last_used_at: number;
}

/** Contexts in the hub's database. */
export class TypeormContextStore extends ContextStore {
  constructor(private readonly database: Database) {
    super();
  }

  async get(id: string, principalId: string): Promise<HubContext | undefined> {
    const [row] = await this.database.read<ContextRow>(
      `SELECT id, principal_id, organization, affinity, last_used_at
       FROM contexts WHERE id = ? AND principal_id = ?`,
      [storable(id), principalId],
    );
    if (row === undefined) return undefined;
    return {
      id,
      principalId: row.principal_id,
      organization: row.organization,
      affinity: JSON.parse(row.affinity) as string[],
      lastUsedAt: new Date(row.last_used_at),
    };
  }

  touch(context: HubContext): Promise<void> {
    return this.database.write(this.touching(context));
  }

  touching(context: HubContext): (tx: Tx) => Work<void> {
    return function* (tx: Tx): Work<void> {
      yield* tx.run(
        `INSERT INTO contexts (id, principal_id, organization, affinity, last_used_at)
         VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id, principal_id)
         DO UPDATE SET affinity = excluded.affinity, last_used_at = excluded.last_used_at`,
        [
          storable(context.id),
          context.principalId,
          context.organization,
          JSON.stringify(context.affinity),
          context.lastUsedAt.getTime(),
        ],
      );
    };
  }

  async downstream(id: string, principalId: string, agentId: string): Promise<string | undefined> {
    const key = [storable(id), principalId, agentId];
    const [learned] = await this.database.read<{ downstream: string }>(
      `SELECT downstream_context_id AS downstream FROM context_agents
       WHERE context_id = ? AND principal_id = ? AND agent_id = ?`,
      key,
    );
    if (learned !== undefined) return learned.downstream;
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

  async learn(
    id: string,
    principalId: string,
    agentId: string,
    downstreamContextId: string,
  ): Promise<void> {
    await this.database.write(function* (tx) {
      yield* tx.run(
        `INSERT INTO context_agents (context_id, principal_id, agent_id, downstream_context_id)
         VALUES (?, ?, ?, ?) ON CONFLICT (context_id, principal_id, agent_id) DO NOTHING`,
        [storable(id), principalId, agentId, storable(downstreamContextId)],
      );
    });
  }

  forget(unusedSince: Date, limit: number): Promise<number> {
    return this.database.write(function* (tx) {
      const gone = yield* tx.all<{ id: string; principal_id: string }>(
        `DELETE FROM contexts WHERE (id, principal_id) IN
           (SELECT id, principal_id FROM contexts WHERE last_used_at < ? LIMIT ?)
         RETURNING id, principal_id`,
        [unusedSince.getTime(), limit],
      );
      for (const { id, principal_id } of gone) {
        yield* tx.run('DELETE FROM context_agents WHERE context_id = ? AND principal_id = ?', [
          id,
          principal_id,
        ]);
      }
      return gone.length;
    });
  }
}
