import { Injectable } from '@nestjs/common';
import type { OwnedData } from '../../common/owned-data.js';
import { Database } from '../../database/database.js';
import { OwnedRows } from '../../database/owned-rows.js';
import { Revision } from '../../database/revision.js';
import { LimitData } from '../limit-data.js';
import { LimitCounterEntity, LimitEntity } from './limit.entity.js';
import { beginningOf, countersOf, limitsOf } from './limits-of.js';
import { SpendingEntity } from './spending.entity.js';

/** {@link LimitData} in the hub's database. Declared limits are the operator's. */
@Injectable()
export class SqlLimitData extends LimitData {
  readonly kinds: readonly OwnedData[];

  constructor(database: Database) {
    super();
    const revision = new Revision('limit_revisions');
    const ofSubject = limitsOf(database.dialect);
    const ofCounter = countersOf(database.dialect);
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
