import { Injectable } from '@nestjs/common';
import type { LogModule } from '../../common/module-logs.js';
import { Database } from '../../database/database.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import { LogLevelStore, type SetLevel } from '../log-level-store.js';
import { LogLevelEntity } from './log-level.entity.js';

const LEVELS = new Table(LogLevelEntity).select('module', 'level', 'endsAt');

/** {@link LogLevelStore} in the hub's database. */
@Injectable()
export class SqlLogLevelStore extends LogLevelStore {
  constructor(private readonly database: Database) {
    super();
  }

  async read(): Promise<readonly SetLevel[]> {
    const rows = await this.database.read<DatabaseRow>(`SELECT ${LEVELS.names} FROM log_levels`);
    return rows.map(LEVELS.read);
  }

  async change(set: readonly SetLevel[], reset: readonly LogModule[], now: Date): Promise<void> {
    await this.database.write(function* (tx) {
      yield* tx.run('DELETE FROM log_levels WHERE ends_at <= ?', [now.getTime()]);
      for (const module of reset) {
        yield* tx.run('DELETE FROM log_levels WHERE module = ?', [module]);
      }
      for (const { module, level, endsAt } of set) {
        yield* tx.run(
          `INSERT INTO log_levels (module, level, ends_at) VALUES (?, ?, ?)
           ON CONFLICT (module) DO UPDATE SET level = excluded.level, ends_at = excluded.ends_at`,
          [module, level, endsAt.getTime()],
        );
      }
    });
  }
}
