import { Injectable } from '@nestjs/common';
import type { DataOwner } from '../../common/owned-data.js';
import { Database } from '../../database/database.js';
import { OwnedRows } from '../../database/owned-rows.js';
import { Activity } from '../activity/activity.js';
import { ActivityData } from '../activity/activity-data.js';
import { ActivityEntity } from './activity.entity.js';

/** Also what this process has counted and not stored yet goes. */
class OwnedActivity extends OwnedRows<ActivityEntity> {
  constructor(
    database: Database,
    private readonly activity: Activity,
  ) {
    super(database, {
      kind: 'activity',
      entity: ActivityEntity,
      key: ['span', 'kind', 'organization', 'agent_id', 'at', 'name'],
      ofOrganization: 'organization = ?',
    });
  }

  override delete(owner: DataOwner): Promise<number> {
    if ('organization' in owner) this.activity.forget(owner.organization);
    return super.delete(owner);
  }
}

/** {@link ActivityData} in the hub's database. */
@Injectable()
export class SqlActivityData extends ActivityData {
  readonly kinds;

  constructor(database: Database, activity: Activity) {
    super();
    this.kinds = [new OwnedActivity(database, activity)];
  }
}
