import { Injectable } from '@nestjs/common';
import type { Visibility } from '../../../auth/index.js';
import { HubError } from '../../../common/hub-error.js';
import { IdSource } from '../../../common/ids.js';
import { Database } from '../../../database/database.js';
import { pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import type { Delivery } from '../../delivery/delivery.js';
import {
  type AttachOptions,
  type NewSubscriptionLane,
  type Replay,
  type ReplayStart,
  type SubscriptionQuery,
  type TaskWebhookFilter,
  type TestRecord,
  type Unsettled,
  type WebhookProgress,
  WebhookStore,
} from '../webhook-store.js';
import type {
  Subscription,
  SubscriptionDraft,
  TaskWebhook,
  TaskWebhookDraft,
  Webhook,
  WebhookChange,
} from '../../registration/webhook.js';
import { recordTest } from './record-test.js';
import { replayLane } from './replay-stream.js';
import { visible } from '../../delivery/persistence/delivery-rows.js';
import { alignLanes } from '../../delivery/persistence/reconcile-streams.js';
import { attachLanes } from '../../delivery/persistence/open-streams.js';
import { changeWebhook, removeWebhook } from './change-webhook.js';
import {
  findTaskWebhook,
  searchTaskWebhooks,
  webhookOfTask,
  webhooksOfTask,
} from './search-webhooks.js';
import { setOnTask } from './set-on-task.js';
import {
  allSubscriptions,
  createSubscription,
  findSubscription,
  listSubscriptions,
  subscriptionsIn,
} from '../../registration/persistence/subscription-rows.js';
import { lockLane, lockTask } from '../../delivery/persistence/task-stream.js';
import { readProgress } from './webhook-progress.js';
import { revisionIn } from '../../registration/persistence/webhook-revision.js';
import { DELETED } from '../../registration/persistence/webhook-rows.js';

/** {@link WebhookStore} on the hub's database. */
@Injectable()
export class SqlWebhookStore extends WebhookStore {
  constructor(
    private readonly database: Database,
    private readonly ids: IdSource,
  ) {
    super();
  }

  set(taskId: string, draft: TaskWebhookDraft, options: AttachOptions): Promise<TaskWebhook> {
    return this.database.write((tx) => this.setIn(tx, taskId, draft, options));
  }

  setIn(
    tx: Tx,
    taskId: string,
    draft: TaskWebhookDraft,
    options: AttachOptions,
  ): Work<TaskWebhook> {
    return setOnTask(tx, this.ids, taskId, draft, options);
  }

  ofTask(taskId: string, configId: string): Promise<TaskWebhook | undefined> {
    return webhookOfTask(this.database, taskId, configId);
  }

  listOfTask(taskId: string, limit: number, after: string | null): Promise<TaskWebhook[]> {
    return webhooksOfTask(this.database, taskId, limit, after);
  }

  removeOfTask(taskId: string, configId: string, now: Date): Promise<boolean> {
    const key = { sql: 'task_id = ? AND config_id = ?', params: [taskId, storable(configId)] };
    const { ids } = this;
    return this.database.write((tx) => removeWebhook(tx, ids, key, () => undefined, now));
  }

  search(
    filter: TaskWebhookFilter,
    visibility: Visibility,
    limit: number,
    cursor: string | null,
  ): Promise<TaskWebhook[]> {
    return searchTaskWebhooks(this.database, filter, visibility, limit, cursor);
  }

  find(uid: string, visibility: Visibility): Promise<TaskWebhook | undefined> {
    return findTaskWebhook(this.database, uid, visibility);
  }

  progress(webhook: TaskWebhook): Promise<WebhookProgress> {
    return readProgress(this.database, webhook);
  }

  async replay(
    uid: string,
    visibility: Visibility,
    from: ReplayStart,
    now: Date,
  ): Promise<Replay | undefined> {
    const found = await this.find(uid, visibility);
    if (found === undefined) return undefined;
    return this.database.write(function* (tx): Work<Replay | undefined> {
      const seq = yield* lockTask(tx, found.taskId);
      const lane = yield* lockLane(tx, uid);
      if (lane === undefined) return undefined;
      if (lane.active === 0) {
        const text = 'The webhook is disabled and cannot be replayed; resume it first.';
        throw new HubError('CONFLICT', text);
      }
      return yield* replayLane(tx, lane, seq, from, now);
    });
  }

  recordTest(webhook: TaskWebhook, test: TestRecord): Promise<Delivery | undefined> {
    return this.database.write((tx) => recordTest(tx, webhook, test));
  }

  async revision(): Promise<number> {
    const [row] = await this.database.read<{ revision: number }>(
      'SELECT revision FROM push_webhook_revisions WHERE id = 1',
    );
    return row?.revision ?? 0;
  }

  revisionIn(tx: Tx): Work<number> {
    return revisionIn(tx);
  }

  all(): Promise<Subscription[]> {
    return allSubscriptions(this.database);
  }

  allIn(tx: Tx, organizations: readonly string[]): Work<Subscription[]> {
    return subscriptionsIn(tx, organizations);
  }

  create(draft: SubscriptionDraft, limit: number, now: Date): Promise<Subscription> {
    return this.database.write((tx) => createSubscription(tx, draft, limit, now));
  }

  get(id: string, visibility: Visibility): Promise<Subscription | undefined> {
    return findSubscription(this.database, id, visibility);
  }

  list(
    query: SubscriptionQuery,
    visibility: Visibility,
    limit: number,
    cursor: string | null,
  ): Promise<Subscription[]> {
    return listSubscriptions(this.database, query, visibility, limit, cursor);
  }

  update(
    id: string,
    visibility: Visibility,
    decide: (present: Webhook) => WebhookChange | null,
    now: Date,
  ): Promise<Webhook | undefined> {
    const key = keyOf(id, visibility);
    const { ids } = this;
    return this.database.write((tx) => changeWebhook(tx, ids, key, decide, now));
  }

  remove(
    id: string,
    visibility: Visibility,
    allowed: (present: Webhook) => void,
    now: Date,
  ): Promise<boolean> {
    const key = keyOf(id, visibility);
    const { ids } = this;
    return this.database.write((tx) => removeWebhook(tx, ids, key, allowed, now));
  }

  attach(tx: Tx, lanes: readonly NewSubscriptionLane[], now: Date): Work<number> {
    return attachLanes(tx, lanes, () => this.ids.next(), now);
  }

  async unsettled(): Promise<Unsettled[]> {
    const rows = await this.database.read<{ uid: string; unsettled: number }>(
      'SELECT uid, unsettled FROM push_webhooks WHERE unsettled IS NOT NULL ORDER BY unsettled',
    );
    return rows.map(({ uid, unsettled }) => ({ id: uid, revision: unsettled }));
  }

  async settle(
    id: string,
    cursor: string | null,
    limit: number,
    now: Date,
  ): Promise<string | null> {
    const rows = await this.database.read<{ id: string }>(
      'SELECT id FROM push_lanes WHERE webhook_uid = ? AND id > ? ORDER BY id LIMIT ?',
      [id, cursor ?? '', limit],
    );
    for (const piece of pieces(rows.map((row) => row.id))) {
      await this.database.write((tx) => alignLanes(tx, this.ids, id, piece, now));
    }
    return rows.length < limit ? null : rows.at(-1)!.id;
  }

  async settled({ id, revision }: Unsettled): Promise<void> {
    await this.database.write(function* (tx) {
      yield* tx.run(
        `DELETE FROM push_webhooks WHERE uid = ? AND unsettled = ? AND state = '${DELETED}'
           AND NOT EXISTS (SELECT 1 FROM push_lanes l WHERE l.webhook_uid = ?)`,
        [id, revision, id],
      );
      yield* tx.run(
        `UPDATE push_webhooks SET unsettled = NULL
         WHERE uid = ? AND unsettled = ? AND state <> '${DELETED}'`,
        [id, revision],
      );
    });
  }
}

function keyOf(id: string, visibility: Visibility): ReturnType<typeof visible> {
  const scope = visible(visibility);
  return { sql: `uid = ? AND ${scope.sql}`, params: [storable(id), ...scope.params] };
}
