import { Injectable } from '@nestjs/common';
import type { OwnedData } from '../../common/owned-data.js';
import { Database } from '../../database/database.js';
import { byCharacters } from '../../database/dialect.js';
import { OwnedRows } from '../../database/owned-rows.js';
import { Revision } from '../../database/revision.js';
import { LIMIT_KINDS } from '../domain/limit.js';
import { LimitData } from '../limit-data.js';
import { LimitCounterEntity, LimitEntity } from './limit.entity.js';
import { SpendingEntity } from './spending.entity.js';

/** How a `subjectKey` of an organization or a principal begins, up to the comma behind its name. */
function beginningOf(name: string, isOrganization: boolean): string {
  return isOrganization ? `[${JSON.stringify(name)}` : `[null,${JSON.stringify(name)}`;
}

/** A range of an index: the text begins with these and a comma, behind which the next character is `-`. */
function beginsWith(column: string, before: string): string {
  const beginning = `'${before}' || CAST(? AS text)`;
  return `${column} >= ${beginning} || ',' AND ${column} < ${beginning} || '-'`;
}

function ofCounters(dialect: Database['dialect']): string {
  const column = byCharacters('counter', dialect);
  const ranges = LIMIT_KINDS.map(
    (kind) => `SELECT counter FROM limit_counters WHERE ${beginsWith(column, `${kind} `)}`,
  );
  return `counter IN (${ranges.join(' UNION ALL ')})`;
}

/** {@link LimitData} in the hub's database. Declared limits are the operator's. */
@Injectable()
export class SqlLimitData extends LimitData {
  readonly kinds: readonly OwnedData[];

  constructor(database: Database) {
    super();
    const revision = new Revision('limit_revisions');
    const ofSubject = beginsWith(byCharacters('subject', database.dialect), '');
    const ofCounter = ofCounters(database.dialect);
    const limits = {
      entity: LimitEntity,
      key: ['subject'],
      comparedWith: beginningOf,
      revision,
      isRevisionFirst: true,
    };
    const counters = {
      entity: LimitCounterEntity,
      key: ['counter', 'period'],
      comparedWith: beginningOf,
    };
    // What is for one principal does not say which organization that is of.
    this.kinds = [
      new OwnedRows(database, { ...limits, kind: 'limits', ofOrganization: ofSubject }),
      new OwnedRows(database, { ...limits, kind: 'limitsOfPrincipals', ofPrincipal: ofSubject }),
      new OwnedRows(database, { ...counters, kind: 'limitCounters', ofOrganization: ofCounter }),
      new OwnedRows(database, {
        ...counters,
        kind: 'limitCountersOfPrincipals',
        ofPrincipal: ofCounter,
      }),
      new OwnedRows(database, {
        kind: 'spending',
        entity: SpendingEntity,
        key: ['organization', 'month', 'principal_id', 'agent_id', 'skill_id', 'unit'],
        ofOrganization: 'organization = ?',
        ofPrincipal: 'principal_id = ?',
      }),
    ];
  }
}
