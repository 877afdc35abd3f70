import { Injectable } from '@nestjs/common';
import { HubError } from '../common/hub-error.js';
import type { Tx, Work } from '../database/sql.js';

type Owner = 'principal' | 'organization';

/** Something that principals or organizations have. */
interface Belonging {
  /** In the plural. */
  readonly what: string;
  /** Whether there is any, for the id of its owner. */
  readonly isThere: (tx: Tx, id: string) => Work<boolean>;
}

/** Deletes what was counted or noted of an owner, by its id. */
type Records = (tx: Tx, id: string) => Work<unknown>;

/**
 * What principals and organizations have in the features above: each says what it keeps. What is kept is not orphaned, and whoever has the
 * id next gets nothing of it.
 */
@Injectable()
export class Belongings {
  private readonly of = { principal: [] as Belonging[], organization: [] as Belonging[] };
  private readonly records = { principal: [] as Records[], organization: [] as Records[] };

  /** To be told at the start. `rows` finds some; a statement has one placeholder, for the id. */
  add(owner: Owner, what: string, rows: string | Belonging['isThere']): void {
    const isThere =
      typeof rows !== 'string'
        ? rows
        : function* (tx: Tx, id: string): Work<boolean> {
            return (yield* tx.all(`${rows} LIMIT 1`, [id])).length > 0;
          };
    this.of[owner].push({ what, isThere });
  }

  /** To be told at the start: what keeps no owner from being deleted, and goes with it. A statement has one placeholder, for the id. */
  addRecords(owner: Owner, forget: string | Records): void {
    this.records[owner].push(
      typeof forget === 'string' ? (tx, id) => tx.run(forget, [id]) : forget,
    );
  }

  /** Deletes the records of an owner that is deleted. Throws CONFLICT with what it still has. */
  *clear(tx: Tx, owner: Owner, id: string): Work<void> {
    const left: string[] = [];
    for (const { what, isThere } of this.of[owner]) {
      if (yield* isThere(tx, id)) left.push(what);
    }
    if (left.length > 0) {
      const text = `The ${owner} ${id} still has ${left.join(', ')}: delete them first, or all of its data (POST /api/v1/data/deletions).`;
      throw new HubError('CONFLICT', text, { metadata: { left: left.join(', ') } });
    }
    for (const forget of this.records[owner]) yield* forget(tx, id);
  }
}
