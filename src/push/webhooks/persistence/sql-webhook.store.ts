import { Injectable } from '@nestjs/common';
import { type WriteCheck, type Visibility, visibleRows } from '../../../auth/index.js';
import { HubError } from '../../../common/hub-error.js';
import { IdSource } from '../../../common/ids.js';
import { Database } from '../../../database/database.js';
import type { Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import { TaskPositions } from '../../../tasks/index.js';
import type { Delivery } from '../../delivery/delivery.js';
import { probeAtOnce } from '../../receivers/persistence/endpoint-rows.js';
import {
  type AttachOptions,
  type Replay,
  type ReplayStart,
  type TaskWebhookFilter,
  type TestRecord,
  type WebhookProgress,
  WebhookStore,
} from '../webhook-store.js';
import type {
  TaskWebhook,
  TaskWebhookDraft,
  Webhook,
  WebhookChange,
} from '../../registration/webhook.js';
import { recordTest } from './record-test.js';
import { replayStream } from './replay-stream.js';
import { changeWebhook, removeWebhook } from './change-webhook.js';
import {
  findTaskWebhook,
  searchTaskWebhooks,
  webhookOfTask,
  webhooksOfTask,
} from './search-webhooks.js';
import { setOnTask } from './set-on-task.js';
import { lockStream } from '../../delivery/persistence/task-stream.js';
import { readProgress } from './webhook-progress.js';

/** {@link WebhookStore} on the hub's database. */
@Injectable()
export class SqlWebhookStore extends WebhookStore {
  constructor(
    private readonly database: Database,
    readonly ids: IdSource,
    readonly tasks: TaskPositions,
  ) {
    super();
  }

  set(
    taskId: string,
    draft: TaskWebhookDraft,
    options: AttachOptions,
    admit?: WriteCheck,
  ): Promise<TaskWebhook> {
    return this.database.write((tx) => admitted(tx, admit, this.setIn(tx, taskId, draft, options)));
  }

  setIn(
    tx: Tx,
    taskId: string,
    draft: TaskWebhookDraft,
    options: AttachOptions,
  ): Work<TaskWebhook> {
    return setOnTask(tx, this, taskId, draft, options);
  }

  ofTask(taskId: string, configId: string): Promise<TaskWebhook | undefined> {
    return webhookOfTask(this.database, taskId, configId);
  }

  listOfTask(taskId: string, limit: number, after: string | null): Promise<TaskWebhook[]> {
    return webhooksOfTask(this.database, taskId, limit, after);
  }

  removeOfTask(taskId: string, configId: string, now: Date): Promise<boolean> {
    const key = { sql: 'task_id = ? AND config_id = ?', params: [taskId, storable(configId)] };
    return this.database.write((tx) => removeWebhook(tx, this, key, () => undefined, now));
  }

  search(
    filter: TaskWebhookFilter,
    visibility: Visibility,
    limit: number,
    cursor: string | null,
  ): Promise<TaskWebhook[]> {
    return searchTaskWebhooks(this.database, filter, visibility, limit, cursor);
  }

  find(streamId: string, visibility: Visibility): Promise<TaskWebhook | undefined> {
    return findTaskWebhook(this.database, streamId, visibility);
  }

  progress(webhook: TaskWebhook): Promise<WebhookProgress> {
    return readProgress(this.database, webhook);
  }

  async replay(
    streamId: string,
    visibility: Visibility,
    from: ReplayStart,
    now: Date,
  ): Promise<Replay | undefined> {
    const found = await this.find(streamId, visibility);
    if (found === undefined) return undefined;
    const { tasks } = this;
    return this.database.write(function* (tx): Work<Replay | undefined> {
      const { seq } = yield* tasks.lock(tx, found.taskId);
      const stream = yield* lockStream(tx, streamId);
      if (stream === undefined) return undefined;
      if (stream.active === 0) {
        const text = 'The webhook is disabled and cannot be replayed; resume it first.';
        throw new HubError('CONFLICT', text);
      }
      const replay = yield* replayStream(tx, tasks, stream, seq, from, now);
      if (stream.active === 1) yield* probeAtOnce(tx, [stream.endpoint], now.getTime());
      return replay;
    });
  }

  recordTest(webhook: TaskWebhook, test: TestRecord): Promise<Delivery | undefined> {
    return this.database.write((tx) => recordTest(tx, webhook, test));
  }

  update(
    id: string,
    visibility: Visibility,
    decide: (present: Webhook) => WebhookChange | null,
    now: Date,
    admit?: WriteCheck,
  ): Promise<Webhook | undefined> {
    const key = keyOf(id, visibility);
    return this.database.write((tx) =>
      admitted(tx, admit, changeWebhook(tx, this, key, decide, now)),
    );
  }

  remove(
    id: string,
    visibility: Visibility,
    allowed: (present: Webhook) => void,
    now: Date,
  ): Promise<boolean> {
    const key = keyOf(id, visibility);
    return this.database.write((tx) => removeWebhook(tx, this, key, allowed, now));
  }
}

/** What is written unless `admit` throws. */
function* admitted<T>(tx: Tx, admit: WriteCheck | undefined, write: Work<T>): Work<T> {
  if (admit !== undefined) yield* admit(tx);
  return yield* write;
}

function keyOf(id: string, visibility: Visibility): ReturnType<typeof visibleRows> {
  const scope = visibleRows(visibility);
  return { sql: `id = ? AND ${scope.sql}`, params: [storable(id), ...scope.params] };
}
