import { Injectable } from '@nestjs/common';
import { HubError } from '../../common/hub-error.js';
import { Database } from '../../database/database.js';
import { byCharacters } from '../../database/dialect.js';
import { Revision } from '../../database/revision.js';
import type { Work } from '../../database/sql.js';
import { Table } from '../../database/table.js';
import { type Limit, type LimitDefinition, subjectKey } from '../domain/limit.js';
import { LimitStore } from '../limit-store.js';
import { LimitEntity } from './limit.entity.js';

const LIMITS = new Table(LimitEntity);
const LIMIT = LIMITS.select();
const UPSERT = LIMITS.upsert();
const REVISION = new Revision('limit_revisions');

/** {@link LimitStore} on the hub's database. */
@Injectable()
export class SqlLimitStore extends LimitStore {
  constructor(private readonly database: Database) {
    super();
  }

  async all(): Promise<Limit[]> {
    const { database } = this;
    const rows = await LIMIT.list(database, `ORDER BY ${byCharacters('id', database.dialect)}`);
    return rows.map(toLimit);
  }

  put(
    id: string,
    definition: LimitDefinition,
    maximum: number,
    now: Date,
    isCreated = false,
  ): Promise<{ limit: Limit; isNew: boolean }> {
    return this.database.write(function* (tx): Work<{ limit: Limit; isNew: boolean }> {
      yield* REVISION.lock(tx);
      const subject = subjectKey(definition);
      const there = yield* LIMIT.all(tx, 'WHERE id = ? OR subject = ?', [id, subject]);
      const other = there.find((each) => each.id !== id);
      if (other) {
        throw new HubError(
          'CONFLICT',
          `The limit ${other.id} is for the same subject: change that one.`,
        );
      }
      const [before] = there;
      if (before !== undefined && isCreated) {
        throw new HubError(
          'CONFLICT',
          `There is a limit ${id} already: change that one, or choose another id.`,
        );
      }
      if (before === undefined) {
        const [count] = yield* tx.all<{ n: number }>('SELECT COUNT(*) AS n FROM limits');
        if (Number(count?.n) >= maximum) {
          throw new HubError('CONFLICT', `There are ${maximum} limits: delete one first.`);
        }
      }
      const row = { id, subject, definition, createdAt: before?.createdAt ?? now, updatedAt: now };
      yield* UPSERT.one(tx, row);
      yield* REVISION.raise(tx);
      return { limit: toLimit(row), isNew: before === undefined };
    });
  }

  remove(id: string): Promise<boolean> {
    return this.database.write(function* (tx): Work<boolean> {
      yield* REVISION.lock(tx);
      const removed = yield* tx.run('DELETE FROM limits WHERE id = ?', [id]);
      if (removed > 0) yield* REVISION.raise(tx);
      return removed > 0;
    });
  }

  revision(): Promise<number> {
    return REVISION.read(this.database);
  }
}

function toLimit({ id, definition, createdAt, updatedAt }: LimitEntity): Limit {
  // A limit stored by an older version has neither.
  const { requestsPerSecond = null, budget = null } = definition;
  return { ...definition, requestsPerSecond, budget, id, source: 'api', createdAt, updatedAt };
}
