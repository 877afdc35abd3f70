import { Injectable } from '@nestjs/common';
import { HubError } from '../common/hub-error.js';
import type { Tx, Work } from '../database/sql.js';

/** Something that principals or organizations have. */
interface Belonging {
  /** In the plural. */
  readonly what: string;
  /** Finds a row of it, for the id of its owner. */
  readonly sql: string;
}

/** What principals and organizations have in the features above: each says what it keeps, and what is kept is not orphaned. */
@Injectable()
export class Belongings {
  private readonly of = { principal: [] as Belonging[], organization: [] as Belonging[] };

  /** To be told at the start. `sql` has one placeholder, for the id. */
  add(owner: 'principal' | 'organization', what: string, sql: string): void {
    this.of[owner].push({ what, sql });
  }

  /** Throws CONFLICT with what is left. */
  *refuseLeft(tx: Tx, owner: 'principal' | 'organization', id: string): Work<void> {
    const left: string[] = [];
    for (const { what, sql } of this.of[owner]) {
      if ((yield* tx.all(`${sql} LIMIT 1`, [id])).length > 0) left.push(what);
    }
    if (left.length === 0) return;
    const text = `The ${owner} ${id} still has ${left.join(', ')}: delete them first.`;
    throw new HubError('CONFLICT', text, { metadata: { left: left.join(', ') } });
  }
}
