import { type Visibility, visibleRows } from '../../../auth/index.js';
import { allOf, type Condition, condition, paramsOf, where } from '../../../database/conditions.js';
import { longTurn } from '../../../common/long-work.js';
import type { Database } from '../../../database/database.js';
import { pieces } from '../../../database/multi-row.js';
import { firstOf, type InOrderOfIds } from '../../../database/in-order-of-ids.js';
import type { DatabaseRow } from '../../../database/table.js';
import { storable } from '../../../database/text.js';
import type { TaskWebhookFilter } from '../webhook-store.js';
import type { TaskWebhook, WebhookState } from '../../registration/webhook.js';
import {
  equals,
  type GuidedCondition,
  guidedBy,
  scopeOf,
  walkedBy,
} from '../../records/persistence/guided-conditions.js';
import { STREAM } from '../../delivery/persistence/delivery-rows.js';
import { DELETED, WEBHOOK, toTaskWebhook } from '../../registration/persistence/webhook-rows.js';

const W = WEBHOOK.as('w');
const S = STREAM.as('s');

/** A delivery stream with the webhook it points at. */
const JOINED = `SELECT ${W.names}, ${S.names} FROM push_webhooks w JOIN push_delivery_streams s`;

/** The state that is shown; see `taskWebhookOf`. */
const SHOWN_STATE = `CASE WHEN w.state IN ('paused', 'disabled') THEN w.state
  WHEN s.state = 'disabled' OR w.state = 'active' THEN s.state ELSE w.state END`;

/** Subscriptions whose newest delivery streams are looked for in one statement. */
const AT_ONCE = 32;

const OF_ONE_TASK = condition(`w.scope = 'task'`);

const NOT_ACTIVE: GuidedCondition<Guide> = {
  guide: 'state',
  sql: (column) => `${column('w.state')} <> 'active'`,
  params: [],
};

/** The webhook of the delivery stream of this id. */
export async function findTaskWebhook(
  database: Database,
  streamId: string,
  visibility: Visibility,
): Promise<TaskWebhook | undefined> {
  const [stream] = await STREAM.list(database, 'WHERE id = ?', [storable(streamId)]);
  if (stream === undefined) return undefined;
  const scope = visibleRows(visibility);
  const which = `WHERE id = ? AND state <> '${DELETED}' AND ${scope.sql}`;
  const params = [stream.webhookUid, ...scope.params];
  const [webhook] = await WEBHOOK.list(database, which, params);
  return webhook && toTaskWebhook(stream, webhook);
}

/** Those of one task only, by age, after the stream `after`. */
export async function webhooksOfTask(
  database: Database,
  taskId: string,
  limit: number,
  after: string | null,
): Promise<TaskWebhook[]> {
  const rows = await database.read<DatabaseRow>(
    `${JOINED} ON s.id = w.id WHERE w.task_id = ? AND w.id > ? ORDER BY w.id LIMIT ?`,
    [taskId, after ?? '', limit],
  );
  return rows.map(toShown);
}

export async function webhookOfTask(
  database: Database,
  taskId: string,
  configId: string,
): Promise<TaskWebhook | undefined> {
  const rows = await database.read<DatabaseRow>(
    `${JOINED} ON s.id = w.id WHERE w.task_id = ? AND w.config_id = ?`,
    [taskId, storable(configId)],
  );
  return rows.map(toShown)[0];
}

/**
 * See `WebhookStore.search`. A webhook of one task has its delivery stream's id, so those are read by the indexes of
 * the webhooks; of each subscription, of which there are few, the newest delivery streams are looked at, or those that fit a state
 * looked for in pieces.
 */
export async function searchTaskWebhooks(
  database: Database,
  filter: TaskWebhookFilter,
  visibility: Visibility,
  limit: number,
  cursor: string | null,
): Promise<TaskWebhook[]> {
  const ofBoth = ofWebhooks(filter, visibility);
  const stream = ofStreams(filter, cursor);
  const found: TaskWebhook[] = [];
  if (filter.subscriptionId === undefined) {
    const all = [...ofBoth, ...ofOwnStreams(filter)];
    const guide = narrowest(filter, visibility);
    const { walked, rest } = walkedBy([guide], all, database.dialect);
    const own: InOrderOfIds = {
      from: 'push_webhooks w',
      id: 'w.id',
      order: 'DESC',
      walked,
      rest: [OF_ONE_TASK, ...rest],
      start: cursor === null ? [] : [condition('w.id < ?', cursor)],
      end: [],
    };
    const rows = await firstOf(database, own, limit, (conditions, most) =>
      database.read<DatabaseRow>(
        `${JOINED} ON s.id = w.id${where(conditions)} ORDER BY w.id DESC LIMIT ?`,
        [...paramsOf(conditions), most],
      ),
    );
    found.push(...rows.map(toShown));
  }
  // Of those there are few, whichever index is taken.
  const webhook = guidedBy(GUIDES, ofBoth, database.dialect);
  const subscriptions = await database.read<SubscriptionState>(
    `SELECT w.id, w.state FROM push_webhooks w
     WHERE w.scope <> 'task' AND w.state <> '${DELETED}' AND ${webhook.sql}`,
    webhook.params,
  );
  const { state, taskId } = filter;
  const mayFit = subscriptions.filter((of) => state === undefined || mayBeShown(of.state, state));
  // The streams of one that rests are all shown in its state, and a task has one stream of it: the newest are the first that are read.
  // On PostgreSQL the others hold nobody up, and a statement for each would be one more way there and back.
  const isFirst = (of: SubscriptionState): boolean =>
    database.dialect !== 'sqlite' || state === undefined || taskId !== undefined || rests(of.state);
  for (const piece of pieces(mayFit.filter(isFirst))) {
    for (let i = 0; i < piece.length; i += AT_ONCE) {
      const ids = piece.slice(i, i + AT_ONCE).map(({ id }) => id);
      const newest = `SELECT * FROM (${JOINED} ON s.webhook_uid = w.id
        WHERE w.id = ? AND s.webhook_uid = ? AND ${stream.sql} ORDER BY s.id DESC LIMIT ?) AS newest`;
      const rows = await database.read<DatabaseRow>(
        ids.map(() => newest).join(' UNION ALL '),
        ids.flatMap((id) => [id, id, ...stream.params, limit]),
      );
      found.push(...rows.map(toShown));
    }
  }
  found.sort(newestFirst);
  for (const { id } of mayFit.filter((of) => !isFirst(of))) {
    await longTurn();
    // Older than what the page has already need none be.
    const last = found[limit - 1];
    const streams: InOrderOfIds = {
      from: 'push_delivery_streams s',
      id: 's.id',
      order: 'DESC',
      walked: [condition('s.webhook_uid = ?', id)],
      rest: [condition('w.id = ?', id), condition(`${SHOWN_STATE} = ?`, state ?? '')],
      start: cursor === null ? [] : [condition('s.id < ?', cursor)],
      end: last === undefined ? [] : [condition('s.id > ?', last.streamId)],
    };
    const rows = await firstOf(database, streams, limit, (conditions, most) =>
      database.read<DatabaseRow>(
        `${JOINED} ON s.webhook_uid = w.id${where(conditions)} ORDER BY s.id DESC LIMIT ?`,
        [...paramsOf(conditions), most],
      ),
    );
    found.push(...rows.map(toShown));
    found.sort(newestFirst);
  }
  return found.slice(0, limit);
}

/** A subscription, as far as it decides how its streams are shown. */
interface SubscriptionState {
  readonly id: string;
  readonly state: WebhookState;
}

function rests(state: WebhookState): boolean {
  return state === 'paused' || state === 'disabled';
}

/** Whether a stream of a subscription in the state `of` can be shown in this one; see {@link SHOWN_STATE}. */
function mayBeShown(of: WebhookState, state: WebhookState): boolean {
  if (rests(of)) return of === state;
  return state !== 'paused' && (of === 'active' || state !== 'active');
}

function newestFirst(a: TaskWebhook, b: TaskWebhook): number {
  return a.streamId < b.streamId ? 1 : -1;
}

function toShown(row: DatabaseRow): TaskWebhook {
  return toTaskWebhook(S.read(row), W.read(row));
}

/** What webhooks of single tasks are looked up by, each with an index of its own. */
const GUIDES = ['task', 'state', 'principal', 'endpoint', 'organization'] as const;
type Guide = (typeof GUIDES)[number];

/** What leads to the fewest of them. */
function narrowest(filter: TaskWebhookFilter, { kind }: Visibility): Guide {
  const { taskId, state, principalId, endpoint } = filter;
  if (taskId !== undefined) return 'task';
  if (state !== undefined && state !== 'active') return 'state';
  if (kind === 'principal' || principalId !== undefined) return 'principal';
  return endpoint === undefined ? 'organization' : 'endpoint';
}

function ofWebhooks(filter: TaskWebhookFilter, visibility: Visibility): GuidedCondition<Guide>[] {
  return [
    ...scopeOf(visibility, 'w.'),
    ...given('principal', 'w.principal_id', filter.principalId),
    ...given('organization', 'w.organization', filter.organization),
    ...given(null, 'w.id', filter.subscriptionId),
    ...given(null, 'w.url', filter.url),
    ...given('endpoint', 'w.endpoint', filter.endpoint),
  ];
}

/** Of a webhook of one task: what it is as a whole is what its task has. */
function ofOwnStreams({ taskId, state }: TaskWebhookFilter): GuidedCondition<Guide>[] {
  // Said in full as well, so that the index of those that are not active serves.
  const isOther = state === undefined || state === 'active' ? [] : [NOT_ACTIVE];
  return [...given('task', 'w.task_id', taskId), ...given('state', 'w.state', state), ...isOther];
}

function given(
  guide: Guide | null,
  name: string,
  value: string | undefined,
): GuidedCondition<Guide>[] {
  return value === undefined ? [] : [equals(guide, name, value)];
}

function ofStreams({ taskId, state }: TaskWebhookFilter, cursor: string | null): Condition {
  const is = (sql: string, value: string | undefined): Condition[] =>
    value === undefined ? [] : [{ sql: `${sql} = ?`, params: [storable(value)] }];
  const after = cursor === null ? [] : [{ sql: 's.id < ?', params: [cursor] }];
  return allOf([...is('s.task_id', taskId), ...is(SHOWN_STATE, state), ...after]);
}
