import { Injectable } from '@nestjs/common';
import { PresentCallers, type Principal, visibilityOf } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { HubError, invalidField } from '../../common/hub-error.js';
import { IdSource } from '../../common/ids.js';
import { DEFAULT_PAGE_SIZE } from '../../common/page.js';
import { isUuid } from '../../common/uuid.js';
import type {
  ListTaskPushNotificationConfigsResponse,
  TaskPushNotificationConfig,
} from '../../protocol/a2a.js';
import type { CallContext } from '../../auth/index.js';
import { type EnlistedWork, belongsTo, type TaskRecord, TaskStore } from '../../tasks/index.js';
import { usedName } from '../auth/read-authentication.js';
import { WebhookStore } from './webhook-store.js';
import type { EventChoice, TaskWebhook, TaskWebhookDraft } from '../registration/webhook.js';
import { PushWakeup } from '../delivery/push-wakeup.js';
import {
  type CheckedWebhook,
  checkConfigId,
  type RequestedWebhook,
  WebhookRegistration,
} from '../registration/webhook-registration.js';
import { PolicyDecisionPoint } from '../../policies/index.js';

/** Where the config sits in a send request. */
const INLINE_PATH = 'configuration.taskPushNotificationConfig.';

interface Owner {
  readonly principalId: string;
  readonly organization: string;
  readonly traceparent: string | null;
  /** Who asks for the webhook; absent: the owner. */
  readonly setBy?: string;
}

/**
 * The push notification configs of tasks (A2A §3.1.7 to §3.1.10). Every call is limited to tasks the
 * caller sees; any other is TASK_NOT_FOUND, like one that does not exist. Answers never hold
 * credentials or tokens.
 */
@Injectable()
export class PushConfigService {
  constructor(
    private readonly tasks: TaskStore,
    private readonly webhooks: WebhookStore,
    private readonly registration: WebhookRegistration,
    private readonly clock: Clock,
    private readonly ids: IdSource,
    private readonly wakeup: PushWakeup,
    private readonly policies: PolicyDecisionPoint,
    private readonly present: PresentCallers,
  ) {}

  /**
   * Sets a config on a task, finished ones included; the same id again replaces it. The webhook receives
   * the task's present state once. `rawAuthentication` is the member as a 0.x client wrote it. Throws
   * HubError INVALID_PARAMS naming the field: an address the hub may not call, an unknown scheme, missing
   * credentials, line breaks in a value; UNAUTHENTICATED when the caller is not valid any more by then. A host that does not resolve is accepted.
   */
  async create(
    config: TaskPushNotificationConfig,
    ctx: CallContext,
    rawAuthentication?: unknown,
  ): Promise<TaskPushNotificationConfig> {
    this.policies.refuseOperation(ctx.principal, 'CreateTaskPushNotificationConfig');
    const record = await this.visibleTask(config.taskId, ctx);
    const owner = { ...record, setBy: ctx.principal.id };
    const draft = await this.draft(config, ctx, owner, rawAuthentication, '');
    const now = this.clock.now();
    const options = { now, repeated: 'present-state' } as const;
    const admit = this.present.writeCheckOf(ctx.principal);
    const stored = await this.webhooks.set(record.id, draft, options, admit);
    this.wakeup.notify();
    return toWire(stored);
  }

  /**
   * {@link create} for the admin API, which can ask for more: which events, and keys that sign. The
   * `caller` is known to see the task.
   */
  async register(
    record: TaskRecord,
    requested: RequestedWebhook & {
      readonly id?: string | undefined;
      readonly events: EventChoice;
    },
    caller: Principal,
  ): Promise<TaskWebhook> {
    const checked = await this.registration.check(requested, record.organization, '');
    const owner = { ...record, setBy: caller.id };
    const draft = this.drafted(checked, checkConfigId(requested.id, ''), owner, requested.events);
    const now = this.clock.now();
    const options = { now, repeated: 'present-state' } as const;
    const stored = await this.webhooks.set(
      record.id,
      draft,
      options,
      this.present.writeCheckOf(caller),
    );
    this.wakeup.notify();
    return stored;
  }

  /**
   * A config that comes with a message: checked now, written in the commit of the message. A task that
   * has it already, unchanged, is left alone, because clients repeat it with every message. Throws as
   * {@link create} does, but never for the task: that is up to the message.
   */
  async inline(
    config: TaskPushNotificationConfig,
    ctx: CallContext,
    rawAuthentication?: unknown,
  ): Promise<EnlistedWork> {
    this.policies.refuseOperation(ctx.principal, 'CreateTaskPushNotificationConfig');
    const owner = {
      principalId: ctx.principal.id,
      organization: ctx.principal.organization,
      traceparent: ctx.traceparent ?? null,
    };
    const check = this.present.checkOf(ctx);
    const draft = await this.draft(config, ctx, owner, rawAuthentication, INLINE_PATH);
    const { webhooks, wakeup, clock } = this;
    return function* (tx, taskId) {
      yield* check(tx);
      yield* webhooks.setIn(tx, taskId, draft, { now: clock.now(), repeated: 'leave' });
      return () => wakeup.notify();
    };
  }

  /** The config, or the task's first one without an id. TASK_NOT_FOUND when there is none. */
  async get(
    taskId: string,
    id: string | undefined,
    ctx: CallContext,
  ): Promise<TaskPushNotificationConfig> {
    const record = await this.visibleTask(taskId, ctx);
    const byId = id ? await this.webhooks.ofTask(record.id, id) : undefined;
    const found =
      byId ?? (id ? undefined : (await this.webhooks.listOfTask(record.id, 1, null))[0]);
    if (!found) {
      throw new HubError('TASK_NOT_FOUND', 'Push notification config not found', {
        metadata: { taskId, ...(id ? { pushNotificationConfigId: id } : {}) },
      });
    }
    return toWire(found);
  }

  /** The task's configs, oldest first. `pageSize`, of at most 100, is 50 when it is 0 or undefined. */
  async list(
    taskId: string,
    pageSize: number | undefined,
    pageToken: string | undefined,
    ctx: CallContext,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    const record = await this.visibleTask(taskId, ctx);
    const limit = pageSize || DEFAULT_PAGE_SIZE;
    const found = await this.webhooks.listOfTask(record.id, limit + 1, afterOf(pageToken));
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return { configs: page.map(toWire), nextPageToken: last ? tokenOf(last) : '' };
  }

  /** Removes the config; nothing more is sent to it. Deleting what is not there succeeds (§3.1.10). */
  async delete(taskId: string, id: string, ctx: CallContext): Promise<void> {
    const record = await this.visibleTask(taskId, ctx);
    if (!id) throw invalidField('id', 'is required');
    await this.webhooks.removeOfTask(record.id, id, this.clock.now());
  }

  private async visibleTask(taskId: string, ctx: CallContext): Promise<TaskRecord> {
    if (!taskId) throw invalidField('taskId', 'is required');
    const record = await this.findTask(taskId, ctx);
    if (!record) throw new HubError('TASK_NOT_FOUND', 'Task not found', { metadata: { taskId } });
    return record;
  }

  /** The task, when it exists for this caller at this address (which may name one agent of it). */
  private async findTask(taskId: string, ctx: CallContext): Promise<TaskRecord | undefined> {
    const visibility = visibilityOf(ctx.principal);
    const { agentId } = ctx;
    if (agentId === undefined) return this.tasks.record(taskId, visibility);
    const found = await this.tasks.withoutContents(taskId, visibility);
    return found && belongsTo(found, visibility, agentId) ? found.record : undefined;
  }

  private async draft(
    config: TaskPushNotificationConfig,
    ctx: CallContext,
    owner: Owner,
    rawAuthentication: unknown,
    path: string,
  ): Promise<TaskWebhookDraft> {
    const requested = { ...config, version: ctx.version, rawAuthentication };
    const checked = await this.registration.check(requested, owner.organization, path);
    return this.drafted(checked, checkConfigId(config.id, path), owner, 'changes');
  }

  private drafted(
    checked: CheckedWebhook,
    configId: string | null,
    owner: Owner,
    events: EventChoice,
  ): TaskWebhookDraft {
    return {
      ...checked,
      streamId: this.ids.next(),
      configId,
      principalId: owner.principalId,
      organization: owner.organization,
      events,
      traceparent: owner.traceparent,
      ...(owner.setBy !== undefined && owner.setBy !== owner.principalId && { setBy: owner.setBy }),
    };
  }
}

function tokenOf(config: TaskWebhook): string {
  return Buffer.from(config.streamId).toString('base64url');
}

function afterOf(pageToken: string | undefined): string | null {
  if (!pageToken) return null;
  const streamId = Buffer.from(pageToken, 'base64url').toString('utf8');
  if (!isUuid(streamId)) throw invalidField('pageToken', 'is not one of this list');
  return streamId;
}

/** The config as A2A shows it: with the name of the scheme that is used, without any secret. */
function toWire(config: TaskWebhook): TaskPushNotificationConfig {
  const scheme = usedName(config.authNames);
  return {
    tenant: '',
    id: config.configId,
    taskId: config.taskId,
    url: config.url,
    token: '',
    authentication: scheme === undefined ? undefined : { scheme, credentials: '' },
  };
}
