import type { Visibility } from '../../../auth/index.js';
import { listOf } from '../../../database/multi-row.js';
import type { SqlValue } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import type { DeliveryFilter } from '../../deliveries/delivery-store.js';
import { visible } from '../push-rows.js';

export interface Conditions {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** The deliveries that fit and may be seen; `more` are further conditions without parameters. */
export function conditionsOf(
  filter: DeliveryFilter,
  visibility: Visibility,
  ...more: readonly string[]
): Conditions {
  const scope = visible(visibility);
  const conditions = [scope.sql, ...more];
  const params: SqlValue[] = [...scope.params];
  const where = (sql: string, ...values: readonly SqlValue[]): void => {
    conditions.push(sql);
    params.push(...values);
  };
  const { taskId, configId, organization, state, endpoint, since, until, ids, tests } = filter;
  if (taskId !== undefined) where('task_id = ?', storable(taskId));
  if (configId !== undefined) {
    const id = storable(configId);
    where('(config_id = ? OR config_uid = ?)', id, id);
  }
  if (organization !== undefined) where('organization = ?', storable(organization));
  // Said in full, so that the index of dead letters serves.
  if (state === 'dead') where("state = 'dead'");
  else if (state !== undefined) where('state = ?', state);
  if (endpoint !== undefined) where('endpoint = ?', storable(endpoint));
  if (since !== undefined) where('created_at >= ?', since.getTime());
  if (until !== undefined) where('created_at < ?', until.getTime());
  if (ids !== undefined) where(`id IN ${listOf(ids.length)}`, ...ids.map((id) => storable(id)));
  if (tests === false) where("kind <> 'test'");
  return { sql: conditions.join(' AND '), params };
}
