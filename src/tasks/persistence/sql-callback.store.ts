import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { listOf, pieces } from '../../database/multi-row.js';
import { CallbackStore } from '../callbacks/callback-store.js';

interface Row {
  delegation_id: string;
}

/** {@link CallbackStore} in the hub's database. */
@Injectable()
export class SqlCallbackStore extends CallbackStore {
  constructor(private readonly database: Database) {
    super();
  }

  async note(delegationId: string, at: Date): Promise<void> {
    await this.database.write((tx) =>
      tx.run(
        `INSERT INTO agent_callbacks (delegation_id, at) VALUES (?, ?)
         ON CONFLICT (delegation_id) DO NOTHING`,
        [delegationId, at.getTime()],
      ),
    );
  }

  async take(delegationIds: readonly string[]): Promise<string[]> {
    const noted = await this.noted(delegationIds);
    if (noted.length === 0) return [];
    return this.database.write(function* (tx) {
      const taken: string[] = [];
      for (const piece of pieces(noted)) {
        const rows = yield* tx.all<Row>(
          `DELETE FROM agent_callbacks WHERE delegation_id IN ${listOf(piece.length)}
           RETURNING delegation_id`,
          piece,
        );
        for (const row of rows) taken.push(row.delegation_id);
      }
      return taken;
    });
  }

  forget(before: Date, limit: number): Promise<number> {
    return this.database.write((tx) =>
      tx.run(
        `DELETE FROM agent_callbacks WHERE delegation_id IN
           (SELECT delegation_id FROM agent_callbacks WHERE at < ? LIMIT ?)`,
        [before.getTime(), limit],
      ),
    );
  }

  private async noted(delegationIds: readonly string[]): Promise<string[]> {
    const noted: string[] = [];
    for (const piece of pieces(delegationIds)) {
      const rows = await this.database.read<Row>(
        `SELECT delegation_id FROM agent_callbacks WHERE delegation_id IN ${listOf(piece.length)}`,
        piece,
      );
      for (const row of rows) noted.push(row.delegation_id);
    }
    return noted;
  }
}
