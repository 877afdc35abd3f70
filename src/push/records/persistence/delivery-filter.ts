import type { Visibility } from '../../../auth/index.js';
import { firstIdAt } from '../../../common/ids.js';
import { isUuid } from '../../../common/uuid.js';
import { type Condition, condition } from '../../../database/conditions.js';
import { listOf } from '../../../database/multi-row.js';
import type { InOrderOfIds } from '../../../database/in-order-of-ids.js';
import type { SqlValue, Tx } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import { NO_TEST } from '../../delivery/persistence/delivery-rows.js';
import { LOST, LOST_OF_ALL, LOST_OF_FEW } from '../../delivery/persistence/lost-letters.js';
import type { DeliveryFilter } from '../delivery-store.js';
import { equals, type GuidedCondition, guidedBy, scopeOf, walkedBy } from './guided-conditions.js';

/**
 * Ids begin with the time they were made at, so what is of another time is not looked at. A row and its id are made by the same
 * clock; no clock is expected to be set back by more.
 */
const CLOCK_SLACK_MS = 3_600_000;

/** Which rows are looked for. */
export interface RowFilter extends DeliveryFilter {
  /** Without what the owner of a webhook ended; with the state `dead`. */
  readonly lost?: true;
}

/** What rows are looked up by, each with an index of its own. */
type Guide = 'ids' | 'task' | 'config' | 'endpoint' | 'principal' | 'organization' | 'state';

type GuidedDelivery = GuidedCondition<Guide>;

/** The deliveries that fit and may be seen. */
export function conditionsOf(
  filter: RowFilter,
  visibility: Visibility,
  dialect: Tx['dialect'],
): Condition {
  const conditions = [...scopeOf(visibility), ...filterOf(filter), ...lostOf(filter, visibility)];
  return guidedBy(narrowest(filter, visibility), conditions, dialect);
}

/** The same in the order of their ids, behind the one given by `cursor`. */
export function inOrder(
  order: InOrderOfIds['order'],
  filter: RowFilter,
  visibility: Visibility,
  dialect: Tx['dialect'],
  cursor: string | null,
): InOrderOfIds {
  const { since, until, configId, ...others } = filter;
  const guides = narrowest(filter, visibility);
  const isByConfig = guides.includes('config') && configId !== undefined;
  const also = isByConfig ? others : { ...others, configId };
  const conditions = [...scopeOf(visibility), ...filterOf(also), ...lostOf(filter, visibility)];
  const { walked, rest } = walkedBy(guides, conditions, dialect);
  return {
    from: 'push_deliveries',
    id: 'id',
    order,
    walked,
    either: isByConfig
      ? eachOfConfig(configId).map(({ sql, params }) =>
          condition(
            sql((name) => name),
            ...params,
          ),
        )
      : undefined,
    rest: [...rest, ...madeIn({ since, until })],
    ...boundsOf(order, filter, cursor),
  };
}

/** Of both bounds on one side the one that is nearer. */
function boundsOf(
  order: InOrderOfIds['order'],
  { since, until }: RowFilter,
  cursor: string | null,
): Pick<InOrderOfIds, 'start' | 'end'> {
  const from = since === undefined ? null : idOf(since, -CLOCK_SLACK_MS);
  const to = until === undefined ? null : idOf(until, CLOCK_SLACK_MS);
  const first = from === null ? [] : [condition('id >= ?', from)];
  const last = to === null ? [] : [condition('id < ?', to)];
  if (order === 'ASC') {
    const isBehind = cursor !== null && (from === null || cursor >= from);
    return { start: isBehind ? [condition('id > ?', cursor)] : first, end: last };
  }
  const isBehind = cursor !== null && (to === null || cursor < to);
  return { start: isBehind ? [condition('id < ?', cursor)] : last, end: first };
}

/** What leads to the fewest rows. */
function narrowest(filter: DeliveryFilter, visibility: Visibility): readonly Guide[] {
  const { ids, taskId, configId, endpoint, organization, state } = filter;
  if (ids !== undefined) return ['ids'];
  if (taskId !== undefined) return ['task'];
  if (configId !== undefined) return ['config'];
  if (endpoint !== undefined && state === 'dead') return ['endpoint', 'state'];
  if (visibility.kind === 'principal') return ['principal'];
  if (visibility.kind === 'organization' || organization !== undefined) {
    return state === 'delivered' ? ['organization'] : ['organization', 'state'];
  }
  return ['state'];
}

function filterOf(filter: RowFilter): GuidedDelivery[] {
  const { taskId, configId, organization, state, endpoint, ids, tests } = filter;
  const requested: GuidedDelivery[] = [];
  const also = (sql: string, ...params: readonly SqlValue[]): void => {
    requested.push({ guide: null, sql: () => sql, params });
  };
  if (taskId !== undefined) requested.push(equals('task', 'task_id', taskId));
  if (configId !== undefined) requested.push(ofConfig(configId));
  if (organization !== undefined)
    requested.push(equals('organization', 'organization', organization));
  if (state !== undefined) requested.push(...inState(state));
  if (endpoint !== undefined) requested.push(equals('endpoint', 'endpoint', endpoint));
  for (const { sql, params } of timesOf(filter)) also(sql, ...params);
  if (ids !== undefined) {
    const params = ids.map((id) => storable(id));
    requested.push({
      guide: 'ids',
      sql: (column) => `${column('id')} IN ${listOf(params.length)}`,
      params,
    });
  }
  if (tests === false) also(NO_TEST);
  return requested;
}

/** What is not of one receiver, webhook or task, nor given by ids, may be many rows. */
export function isNarrow({ ids, taskId, configId, endpoint }: DeliveryFilter): boolean {
  return [ids, taskId, configId, endpoint].some((each) => each !== undefined);
}

/** In the words of the index that is to serve. */
function lostOf(filter: RowFilter, visibility: Visibility): readonly GuidedDelivery[] {
  if (!filter.lost) return [];
  const isOfAll = visibility.kind === 'everything' && filter.organization === undefined;
  const said = isNarrow(filter) ? LOST_OF_FEW : isOfAll ? LOST_OF_ALL : LOST;
  return [{ guide: null, sql: () => said, params: [] }];
}

/** By the time at which a row was made, or a dead one was given up: nothing happens to it afterwards. */
function timesOf(filter: RowFilter): readonly Condition[] {
  const { since, until, givenUpSince, givenUpUntil } = filter;
  const times = madeIn(filter);
  if (since !== undefined) times.push(condition('id >= ?', idOf(since, -CLOCK_SLACK_MS)));
  if (until !== undefined) times.push(condition('id < ?', idOf(until, CLOCK_SLACK_MS)));
  if (givenUpSince !== undefined)
    times.push({ sql: 'updated_at >= ?', params: [givenUpSince.getTime()] });
  if (givenUpUntil !== undefined)
    times.push({ sql: 'updated_at < ?', params: [givenUpUntil.getTime()] });
  return times;
}

function madeIn({ since, until }: RowFilter): Condition[] {
  return [
    ...(since === undefined ? [] : [condition('created_at >= ?', since.getTime())]),
    ...(until === undefined ? [] : [condition('created_at < ?', until.getTime())]),
  ];
}

/** The first id of a time. */
function idOf(at: Date, slackMs: number): string {
  return firstIdAt(new Date(at.getTime() + slackMs));
}

/** The hub's ids are UUIDs; where the client has given none of its own, its id is the hub's. Each has an index of its own. */
function eachOfConfig(configId: string): GuidedDelivery[] {
  const ofClient = equals('config', 'config_id', configId);
  if (!isUuid(configId)) return [ofClient];
  const ofHub: GuidedDelivery = {
    guide: 'config',
    sql: (column) => `${column('stream_id')} = ? AND stream_id <> config_id`,
    params: [storable(configId)],
  };
  return [ofClient, ofHub];
}

function ofConfig(configId: string): GuidedDelivery {
  const each = eachOfConfig(configId);
  return {
    guide: 'config',
    sql: (column) => `(${each.map(({ sql }) => sql(column)).join(' OR ')})`,
    params: each.flatMap(({ params }) => params),
  };
}

/** Said in full as well, so that the indexes of dead letters and of what is not delivered serve. */
function inState(state: NonNullable<DeliveryFilter['state']>): readonly GuidedDelivery[] {
  const said = (rest: string): GuidedDelivery => ({
    guide: 'state',
    sql: (column) => `${column('state')} ${rest}`,
    params: [],
  });
  const is = equals('state', 'state', state);
  if (state === 'delivered') return [is];
  return state === 'dead'
    ? [is, said("= 'dead'"), said("<> 'delivered'")]
    : [is, said("<> 'delivered'")];
}
