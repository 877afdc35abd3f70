import { listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { Table } from '../../../database/table.js';
import {
  type DeliveredTask,
  type StreamHealth,
  type TaskWebhook,
  type Webhook,
  taskWebhookOf,
} from '../webhook.js';
import { WebhookEntity } from './webhook.entity.js';

/** Of a row that stays until its delivery streams are ended: it is gone for everybody. */
export const DELETED = 'deleted';

const WEBHOOKS = new Table(WebhookEntity);
export const WEBHOOK = WEBHOOKS.selectBut('reconcileRevision');
const INSERT = WEBHOOKS.insert('', 'reconcileRevision');
/** What it is for, and whose it is, stays. */
const UPDATE = WEBHOOKS.updateBut(
  'reconcileRevision',
  'scope',
  'organization',
  'principalId',
  'taskId',
  'configId',
  'source',
  'createdAt',
);

export function* insertWebhook(tx: Tx, webhook: Webhook): Work<void> {
  yield* INSERT.one(tx, webhook);
}

export function* updateWebhook(tx: Tx, webhook: Webhook): Work<void> {
  yield* UPDATE.apply(tx, [webhook]);
}

/** What the row of a delivery stream says of its task and of the webhook there. */
export type StreamFacts = Omit<DeliveredTask, 'streamId'> & StreamHealth & { readonly id: string };

/** The webhook as the task of this delivery stream has it. */
export function toTaskWebhook(stream: StreamFacts, webhook: Webhook): TaskWebhook {
  return taskWebhookOf(webhook, { streamId: stream.id, ...stream }, stream);
}

/** Webhooks by their ids; none where one is gone. */
export function* webhooksById(tx: Tx, ids: readonly string[]): Work<ReadonlyMap<string, Webhook>> {
  const found = new Map<string, Webhook>();
  for (const piece of pieces([...new Set(ids)])) {
    const rows = yield* WEBHOOK.all(tx, `WHERE id IN ${listOf(piece.length)}`, piece);
    for (const webhook of rows) found.set(webhook.id, webhook);
  }
  return found;
}

/** The webhooks of these delivery streams, by the delivery streams' ids; none where it is gone. */
export function* taskWebhooksOf(
  tx: Tx,
  streams: readonly (StreamFacts & { readonly webhookUid: string })[],
): Work<ReadonlyMap<string, TaskWebhook>> {
  const ids = streams.map((stream) => stream.webhookUid);
  const byId = yield* webhooksById(tx, ids);
  const found = new Map<string, TaskWebhook>();
  for (const stream of streams) {
    const webhook = byId.get(stream.webhookUid);
    if (webhook !== undefined) found.set(stream.id, toTaskWebhook(stream, webhook));
  }
  return found;
}
