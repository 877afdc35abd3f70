import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { pageOf, readCursor } from '../../common/cursor.js';
import { HubError, invalidField } from '../../common/hub-error.js';
import type { Page } from '../../common/page.js';
import { isUuid } from '../../common/uuid.js';
import { TaskStore } from '../../tasks/index.js';
import { PushWakeup } from '../delivery/push-wakeup.js';
import { seenBy } from '../receivers/push-access.js';
import { PushConfigService } from './push-config.service.js';
import {
  type RequestedChange,
  type NewSecrets,
  type Target,
  WebhookChanges,
} from './webhook-changes.js';
import type { RequestedWebhook } from '../registration/webhook-registration.js';
import {
  type Replay,
  type ReplayStart,
  type TaskWebhookFilter,
  type WebhookProgress,
  WebhookStore,
  refuseOfSubscription,
} from './webhook-store.js';
import type { EventChoice, TaskWebhook, Webhook } from '../registration/webhook.js';
import { PolicyDecisionPoint } from '../../policies/index.js';

export interface NewTaskWebhook extends Omit<RequestedWebhook, 'rawAuthentication'> {
  readonly taskId: string;
  readonly id?: string | undefined;
  readonly events: EventChoice;
}

/**
 * The webhooks of tasks, for the admin API: their owners see their own, operators (`admin`) all. A
 * webhook or task of another caller is NOT_FOUND, like one that does not exist. The webhook of a subscription
 * can be shown and replayed for a task; it is changed with the subscription.
 */
@Injectable()
export class TaskWebhooksService {
  constructor(
    private readonly store: WebhookStore,
    private readonly configs: PushConfigService,
    private readonly changes: WebhookChanges,
    private readonly tasks: TaskStore,
    private readonly clock: Clock,
    private readonly wakeup: PushWakeup,
    private readonly policies: PolicyDecisionPoint,
  ) {}

  /** Newest first. */
  async list(
    filter: TaskWebhookFilter,
    limit: number,
    cursor: string | undefined,
    caller: Principal,
  ): Promise<Page<TaskWebhook>> {
    const after = cursor === undefined ? null : readCursor('configs', cursor, isUuid);
    const found = await this.store.search(filter, seenBy(caller), limit + 1, after);
    return pageOf('configs', found, limit, ({ streamId }) => streamId);
  }

  async get(
    id: string,
    caller: Principal,
  ): Promise<{ readonly webhook: TaskWebhook; readonly progress: WebhookProgress }> {
    const webhook = await this.find(id, caller);
    return { webhook, progress: await this.store.progress(webhook) };
  }

  async find(id: string, caller: Principal): Promise<TaskWebhook> {
    return (await this.store.find(id, seenBy(caller))) ?? unknown();
  }

  /** Sets a webhook on a task, as its client could; the same id again replaces it. */
  async create(requested: NewTaskWebhook, caller: Principal): Promise<TaskWebhook> {
    this.policies.refuseOperation(caller, 'CreateTaskPushNotificationConfig');
    const record = await this.tasks.record(requested.taskId, seenBy(caller));
    if (!record) throw new HubError('NOT_FOUND', 'There is no such task.');
    return this.configs.register(record, requested, caller);
  }

  /** Another address, another choice of events, other secrets; see `WebhookChanges`. */
  async patch(id: string, requested: RequestedChange, caller: Principal): Promise<TaskWebhook> {
    this.policies.refuseOperation(caller, 'CreateTaskPushNotificationConfig');
    if (Object.values(requested).every((member) => member === undefined)) {
      throw invalidField('url', 'must be given, or events');
    }
    const seen = await this.own(id, caller);
    return this.shown(await this.changes.patch(targetOf(id, caller), seen, requested), caller);
  }

  async rotate(id: string, requested: NewSecrets, caller: Principal): Promise<TaskWebhook> {
    const seen = await this.own(id, caller);
    return this.shown(await this.changes.rotate(targetOf(id, caller), seen, requested), caller);
  }

  async pause(id: string, caller: Principal): Promise<TaskWebhook> {
    await this.own(id, caller);
    return this.shown(await this.changes.pause(targetOf(id, caller)), caller);
  }

  async resume(id: string, caller: Principal): Promise<TaskWebhook> {
    await this.own(id, caller);
    return this.shown(await this.changes.resume(targetOf(id, caller)), caller);
  }

  async replay(id: string, from: ReplayStart, caller: Principal): Promise<Replay> {
    const replay = await this.store.replay(id, seenBy(caller), from, this.clock.now());
    this.wakeup.notify();
    return replay ?? unknown();
  }

  async remove(id: string, caller: Principal): Promise<void> {
    await this.own(id, caller);
    if (!(await this.changes.remove(targetOf(id, caller)))) unknown();
  }

  /** One that may be changed here. */
  private async own(id: string, caller: Principal): Promise<TaskWebhook> {
    const webhook = await this.find(id, caller);
    refuseOfSubscription(webhook.subscriptionId);
    return webhook;
  }

  private shown(changed: Webhook | undefined, caller: Principal): Promise<TaskWebhook> {
    return changed === undefined ? unknown() : this.find(changed.id, caller);
  }
}

function targetOf(id: string, caller: Principal): Target {
  return { id, caller, visibility: seenBy(caller), allowed: () => undefined };
}

function unknown(): never {
  throw new HubError('NOT_FOUND', 'There is no such webhook.');
}
