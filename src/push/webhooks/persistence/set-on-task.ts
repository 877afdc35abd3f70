import { invalidField } from '../../../common/hub-error.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { AttachOptions } from '../webhook-store.js';
import {
  type StreamHealth,
  type TaskWebhook,
  type TaskWebhookDraft,
  type Webhook,
  taskWebhookOf,
} from '../../registration/webhook.js';
import { MAX_WEBHOOKS_PER_TASK } from '../../registration/webhook-registration.js';
import {
  type StreamSources,
  insertStream,
  lockStream,
  restartStream,
  resumeStream,
} from '../../delivery/persistence/task-stream.js';
import {
  WEBHOOK,
  insertWebhook,
  updateWebhook,
} from '../../registration/persistence/webhook-rows.js';

/** See `WebhookStore.setIn`. */
export function* setOnTask(
  tx: Tx,
  sources: StreamSources,
  taskId: string,
  given: TaskWebhookDraft,
  { now, repeated }: AttachOptions,
): Work<TaskWebhook> {
  const { seq, traceparent = given.traceparent } = yield* sources.tasks.lock(tx, taskId);
  const draft = { ...given, traceparent };
  const existing = yield* existingOf(tx, taskId, draft);
  if (existing === undefined) {
    if (draft.events === 'all') yield* sources.tasks.wantEveryEvent(tx, [taskId]);
    yield* refuseTooMany(tx, taskId);
    const webhook = newWebhook(taskId, draft, now);
    yield* insertWebhook(tx, webhook);
    return yield* insertStream(tx, sources.ids, webhook, taskId, draft.traceparent, seq, now);
  }
  const isSame = existing.fingerprint === draft.fingerprint && existing.state !== 'disabled';
  if (isSame && repeated === 'leave') return asSet(existing, draft);
  if (draft.events === 'all') yield* sources.tasks.wantEveryEvent(tx, [taskId]);
  const webhook = replaced(existing, draft, now);
  const stream = (yield* lockStream(tx, existing.id))!;
  yield* updateWebhook(tx, webhook);
  // A paused delivery stream is resumed as well: a client that sets its webhook again wants its events.
  const isBehind = stream.open > 0 || stream.headSeq >= stream.nextSeq;
  if (stream.active === 0 || !isBehind)
    yield* restartStream(tx, sources.ids, stream.id, webhook, seq, now);
  else
    yield* resumeStream(
      tx,
      sources.ids,
      stream,
      webhook,
      seq,
      now,
      existing.version !== draft.version,
    );
  return asSet(webhook, draft);
}

/** As it is after it was set, whatever became of it before. */
function asSet(webhook: Webhook, { traceparent }: TaskWebhookDraft): TaskWebhook {
  const { id: streamId, createdAt } = webhook;
  const health: StreamHealth = {
    state: 'active',
    stateReason: null,
    failingSince: null,
    lastFailureAt: null,
  };
  return taskWebhookOf(
    webhook,
    { streamId, taskId: webhook.taskId!, traceparent, createdAt },
    health,
  );
}

function newWebhook(taskId: string, draft: TaskWebhookDraft, now: Date): Webhook {
  const { streamId, traceparent, configId, setBy, ...registration } = draft;
  void traceparent;
  return {
    ...registration,
    id: streamId,
    scope: 'task',
    taskId,
    configId: configId ?? streamId,
    setBy: setBy ?? null,
    name: null,
    source: 'api',
    filter: null,
    state: 'active',
    stateReason: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** What it is for, and whose, stays. */
function replaced(existing: Webhook, draft: TaskWebhookDraft, now: Date): Webhook {
  const next = newWebhook(existing.taskId!, draft, now);
  const { id, configId, principalId, organization, createdAt } = existing;
  return { ...next, id, configId, principalId, organization, createdAt };
}

function* existingOf(
  tx: Tx,
  taskId: string,
  { configId, url }: TaskWebhookDraft,
): Work<Webhook | undefined> {
  const [column, value] = configId === null ? ['url', url] : ['config_id', configId];
  const [webhook] = yield* WEBHOOK.all(
    tx,
    `WHERE task_id = ? AND ${column} = ? ORDER BY id LIMIT 1`,
    [taskId, value],
  );
  return webhook;
}

function* refuseTooMany(tx: Tx, taskId: string): Work<void> {
  const [row] = yield* tx.all<{ total: number }>(
    'SELECT COUNT(*) AS total FROM push_webhooks WHERE task_id = ?',
    [taskId],
  );
  if ((row?.total ?? 0) >= MAX_WEBHOOKS_PER_TASK) {
    throw invalidField('taskId', `the task has ${MAX_WEBHOOKS_PER_TASK} webhooks already`);
  }
}
