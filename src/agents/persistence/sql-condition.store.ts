import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { listOf, pieces } from '../../database/multi-row.js';
import { Table } from '../../database/table.js';
import {
  ConditionStore,
  type SeenProcess,
  type StoredCondition,
} from '../registry/condition-store.js';
import { AgentConditionEntity } from './agent-condition.entity.js';

const CONDITIONS = new Table(AgentConditionEntity);
const CONDITION = CONDITIONS.select();
const UPSERT = CONDITIONS.upsert();

/** {@link ConditionStore} in the hub's database: a process is there while it is among the `workers`. */
@Injectable()
export class SqlConditionStore extends ConditionStore {
  constructor(private readonly database: Database) {
    super();
  }

  async put(
    process: string,
    conditions: readonly StoredCondition[],
    gone: readonly string[],
  ): Promise<void> {
    if (conditions.length === 0 && gone.length === 0) return;
    await this.database.write(function* (tx) {
      yield* UPSERT.apply(tx, conditions);
      for (const piece of pieces(gone)) {
        yield* tx.run(
          `DELETE FROM agent_conditions WHERE process = ? AND agent_id IN ${listOf(piece.length)}`,
          [process, ...piece],
        );
      }
    }, 'may-be-lost');
  }

  async removeOf(process: string): Promise<void> {
    const sql = 'DELETE FROM agent_conditions WHERE process = ?';
    await this.database.write((tx) => tx.run(sql, [process]), 'may-be-lost');
  }

  async cleanUp(process: string): Promise<number> {
    const sql = `DELETE FROM agent_conditions
      WHERE process <> ? AND process NOT IN (SELECT id FROM workers)`;
    await this.database.write((tx) => tx.run(sql, [process]), 'may-be-lost');
    const [row] = await this.database.read<{ n: number }>(
      'SELECT COUNT(*) AS n FROM agent_conditions WHERE process = ?',
      [process],
    );
    return row?.n ?? 0;
  }

  async others(process: string): Promise<readonly SeenProcess[]> {
    const rows = await this.database.read<{ id: string; seen_at: number; version: number | null }>(
      `SELECT w.id, w.seen_at,
         (SELECT MAX(c.version) FROM agent_conditions c WHERE c.process = w.id) AS version
       FROM workers w WHERE w.id <> ?`,
      [process],
    );
    return rows.map(({ id, seen_at, version }) => ({ id, sign: seen_at, version: version ?? 0 }));
  }

  since(process: string, version: number, limit: number): Promise<readonly StoredCondition[]> {
    return CONDITION.list(
      this.database,
      'WHERE process = ? AND version > ? ORDER BY version LIMIT ?',
      [process, version, limit],
    );
  }
}
