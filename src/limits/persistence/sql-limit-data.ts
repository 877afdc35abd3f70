import { Injectable } from '@nestjs/common';
import type { OwnedData } from '../../common/owned-data.js';
import { Database } from '../../database/database.js';
import { OwnedRows } from '../../database/owned-rows.js';
import { Revision } from '../../database/revision.js';
import { LIMIT_KINDS } from '../domain/limit.js';
import { LimitData } from '../limit-data.js';
import { LimitCounterEntity, LimitEntity } from './limit.entity.js';

/** How a `subjectKey` of an organization or a principal begins. */
function beginningOf(name: string, isOrganization: boolean): string {
  return isOrganization ? `[${JSON.stringify(name)},` : `[null,${JSON.stringify(name)},`;
}

const OF_SUBJECT = 'substr(subject, 1, length(CAST(? AS text))) = CAST(? AS text)';
const OF_COUNTER = LIMIT_KINDS.map(
  (kind) =>
    `substr(counter, 1, length(CAST(? AS text)) + ${kind.length + 1}) = '${kind} ' || CAST(? AS text)`,
).join(' OR ');

/** {@link LimitData} in the hub's database. Declared limits are the operator's. */
@Injectable()
export class SqlLimitData extends LimitData {
  readonly kinds: readonly OwnedData[];

  constructor(database: Database) {
    super();
    const revision = new Revision('limit_revisions');
    const limits = { entity: LimitEntity, key: ['id'], comparedWith: beginningOf, revision };
    const counters = {
      entity: LimitCounterEntity,
      key: ['counter', 'period'],
      comparedWith: beginningOf,
    };
    // What is for one principal does not say which organization that is of.
    this.kinds = [
      new OwnedRows(database, { ...limits, kind: 'limits', ofOrganization: OF_SUBJECT }),
      new OwnedRows(database, { ...limits, kind: 'limitsOfPrincipals', ofPrincipal: OF_SUBJECT }),
      new OwnedRows(database, { ...counters, kind: 'limitCounters', ofOrganization: OF_COUNTER }),
      new OwnedRows(database, {
        ...counters,
        kind: 'limitCountersOfPrincipals',
        ofPrincipal: OF_COUNTER,
      }),
    ];
  }
}
