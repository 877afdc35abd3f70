import { type Visibility, visibleRows } from '../../../auth/index.js';
import { allOf, type Condition } from '../../../database/conditions.js';
import type { Database } from '../../../database/database.js';
import { pieces } from '../../../database/multi-row.js';
import type { DatabaseRow } from '../../../database/table.js';
import { storable } from '../../../database/text.js';
import type { TaskWebhookFilter } from '../webhook-store.js';
import type { TaskWebhook } from '../../registration/webhook.js';
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

const NOT_ACTIVE: Condition = { sql: `w.state <> 'active'`, params: [] };

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
 * the webhooks; of each subscription, of which there are few, the newest delivery streams are looked at.
 */
export async function searchTaskWebhooks(
  database: Database,
  filter: TaskWebhookFilter,
  visibility: Visibility,
  limit: number,
  cursor: string | null,
): Promise<TaskWebhook[]> {
  const webhook = allOf(ofWebhooks(filter, visibility));
  const stream = ofStreams(filter, cursor);
  const found: TaskWebhook[] = [];
  if (filter.subscriptionId === undefined) {
    const all = [...ofWebhooks(filter, visibility), ...ofOwnStreams(filter, cursor)];
    const own = allOf(database.dialect === 'sqlite' ? all.map(guidedBy(filter, visibility)) : all);
    const rows = await database.read<DatabaseRow>(
      `${JOINED} ON s.id = w.id WHERE w.scope = 'task' AND ${own.sql}
       ORDER BY w.id DESC LIMIT ?`,
      [...own.params, limit],
    );
    found.push(...rows.map(toShown));
  }
  const subscriptions = await database.read<{ id: string }>(
    `SELECT w.id FROM push_webhooks w
     WHERE w.scope <> 'task' AND w.state <> '${DELETED}' AND ${webhook.sql}`,
    webhook.params,
  );
  for (const piece of pieces(subscriptions)) {
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
  found.sort((a, b) => (a.streamId < b.streamId ? 1 : -1));
  return found.slice(0, limit);
}

function toShown(row: DatabaseRow): TaskWebhook {
  return toTaskWebhook(S.read(row), W.read(row));
}

/** What leads to the fewest webhooks of single tasks; each has an index of its own. */
function narrowest(
  { taskId, state, principalId, endpoint }: TaskWebhookFilter,
  { kind }: Visibility,
) {
  if (taskId !== undefined) return 'w.task_id';
  if (state !== undefined && state !== 'active') return 'w.state';
  if (kind === 'principal' || principalId !== undefined) return 'w.principal_id';
  return endpoint === undefined ? 'w.organization' : 'w.endpoint';
}

/**
 * Without statistics SQLite would take any index that serves: the columns of all but the narrowest conditions are written as
 * expressions (`+w.organization`), which none serves.
 */
function guidedBy(
  filter: TaskWebhookFilter,
  visibility: Visibility,
): (condition: Condition) => Condition {
  const guide = narrowest(filter, visibility);
  const isFree = ({ sql }: Condition): boolean =>
    sql.startsWith(`${guide} `) || sql.startsWith('w.id ');
  return (condition) =>
    isFree(condition) ? condition : { ...condition, sql: condition.sql.replace(/^w\./, '+w.') };
}

function ofWebhooks(filter: TaskWebhookFilter, visibility: Visibility): Condition[] {
  return [
    ...ownedBy(visibility),
    ...equals('w.principal_id', filter.principalId),
    ...equals('w.organization', filter.organization),
    ...equals('w.id', filter.subscriptionId),
    ...equals('w.url', filter.url),
    ...equals('w.endpoint', filter.endpoint),
  ];
}

function ownedBy(visibility: Visibility): Condition[] {
  if (visibility.kind === 'everything') return [];
  const organization = equals('w.organization', visibility.organization);
  if (visibility.kind === 'organization') return organization;
  return [...equals('w.principal_id', visibility.principalId), ...organization];
}

/** Of a webhook of one task: what it is as a whole is what its task has. */
function ofOwnStreams({ taskId, state }: TaskWebhookFilter, cursor: string | null): Condition[] {
  const after = cursor === null ? [] : [{ sql: 'w.id < ?', params: [cursor] }];
  // Said in full as well, so that the index of those that are not active serves.
  const isOther = state === undefined || state === 'active' ? [] : [NOT_ACTIVE];
  return [...equals('w.task_id', taskId), ...equals('w.state', state), ...isOther, ...after];
}

function ofStreams({ taskId, state }: TaskWebhookFilter, cursor: string | null): Condition {
  const after = cursor === null ? [] : [{ sql: 's.id < ?', params: [cursor] }];
  return allOf([...equals('s.task_id', taskId), ...equals(SHOWN_STATE, state), ...after]);
}

function equals(sql: string, value: string | undefined): Condition[] {
  return value === undefined ? [] : [{ sql: `${sql} = ?`, params: [storable(value)] }];
}
