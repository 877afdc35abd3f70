import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { listOf } from '../../database/multi-row.js';
import { TaskRetries } from '../store/task-retries.js';

/** {@link TaskRetries} in the hub's database. */
@Injectable()
export class SqlTaskRetries extends TaskRetries {
  constructor(private readonly database: Database) {
    super();
  }

  async newestOf(taskIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (taskIds.length === 0) return new Map();
    // Ids of tasks are in the order of their times. Written as a cross join, SQLite begins with the retries, which are few.
    const rows = await this.database.read<{ id: string; newest: string }>(
      `SELECT r.retry_of AS id, MAX(r.id) AS newest FROM tasks r CROSS JOIN tasks t
       WHERE r.retry_of IN ${listOf(taskIds.length)} AND t.id = r.retry_of
         AND t.principal_id = r.principal_id AND t.organization = r.organization
       GROUP BY r.retry_of`,
      [...taskIds],
    );
    return new Map(rows.map(({ id, newest }) => [id, newest]));
  }
}
