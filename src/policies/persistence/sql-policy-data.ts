import { Injectable } from '@nestjs/common';
import type { OwnedData } from '../../common/owned-data.js';
import { Database } from '../../database/database.js';
import { OwnedRows } from '../../database/owned-rows.js';
import { Revision } from '../../database/revision.js';
import { PolicyData } from '../policy-data.js';
import { PolicyEntity, PolicyVersionEntity } from './policy.entity.js';

const REVISION = new Revision('policy_revisions');

/** {@link PolicyData} in the hub's database. A principal owns none. */
@Injectable()
export class SqlPolicyData extends PolicyData {
  readonly kinds: readonly OwnedData[];

  constructor(database: Database) {
    super();
    this.kinds = [
      new OwnedRows(database, {
        kind: 'policyVersions',
        entity: PolicyVersionEntity,
        key: ['id', 'version'],
        ofOrganization: 'id IN (SELECT id FROM policies WHERE organization = ?)',
      }),
      new OwnedRows(database, {
        kind: 'policies',
        entity: PolicyEntity,
        key: ['id'],
        ofOrganization: 'organization = ?',
        // Those that a change has made since the others were deleted: without their policy they are not found.
        before: (condition) =>
          `DELETE FROM policy_versions WHERE id IN (SELECT id FROM policies WHERE ${condition})`,
        revision: REVISION,
        isRevisionFirst: true,
      }),
    ];
  }
}
