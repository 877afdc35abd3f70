import { Injectable } from '@nestjs/common';
import { noteTask } from '../common/call-note.js';
import { HubError, invalidField } from '../common/hub-error.js';
import { reserveFor } from '../common/reserve-for.js';
import { AppConfig } from '../config/index.js';
import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '../protocol/a2a.js';
import { PolicyDecisionPoint } from '../policies/index.js';
import { readHops } from '../protocol/hops.js';
import { readDirective } from '../protocol/routing-extension.js';
import { PushConfigService } from '../push/index.js';
import type { HubRequest } from '../routing/index.js';
import type { CallContext } from '../auth/index.js';
import {
  type EnlistedWork,
  answerNotReturned,
  type StreamItem,
  TaskService,
} from '../tasks/index.js';
import type { Capabilities } from './capabilities.js';
import type { CardForm } from './cards/card-forms.js';
import { CardService } from './cards/card.service.js';
import { answeredWhen, type Blocking } from './v0-blocking.js';

/** What only the version the client speaks can say, beside the canonical request. */
export interface SourceDetails {
  /** Of a send in 0.x. Absent: the canonical field decides. */
  readonly blocking?: Blocking;
  /** `metadata` of a cancel, which the SDK leaves out. */
  readonly metadata?: Record<string, unknown> | undefined;
  /** A push config's `authentication` as it was written: 0.x may name several schemes. */
  readonly authentication?: unknown;
}

/**
 * The operations of A2A (§3.1), once, over the canonical types: every binding and every version ends
 * here. The bindings have authenticated the caller and validated the request.
 */
@Injectable()
export class HubRequestHandler {
  constructor(
    private readonly tasks: TaskService,
    private readonly push: PushConfigService,
    private readonly cards: CardService,
    private readonly config: AppConfig,
    private readonly policies: PolicyDecisionPoint,
  ) {}

  /** The optional parts of A2A that are served; the others are refused (A2A §3.3.4). */
  get capabilities(): Capabilities {
    return this.cards.capabilities;
  }

  async sendMessage(
    request: SendMessageRequest,
    call: CallContext,
    source: SourceDetails = {},
  ): Promise<Message | Task> {
    const hubRequest = this.hubRequest(request, call, source);
    const result = await this.tasks.send(
      hubRequest,
      await this.inline(request, hubRequest, source),
    );
    if (result.kind === 'message') {
      await reserveForDone(result.message, call, result.message.taskId);
      return result.message;
    }
    await reserveForDone(result.task, call, result.task.id);
    return result.task;
  }

  async *sendStreamingMessage(
    request: SendMessageRequest,
    call: CallContext,
    source: SourceDetails = {},
  ): AsyncGenerator<StreamItem, void, undefined> {
    const hubRequest = this.hubRequest(request, call, source);
    const enlisted = await this.inline(request, hubRequest, source);
    yield* this.tasks.sendStream(hubRequest, enlisted);
  }

  async getTask(request: GetTaskRequest, call: CallContext): Promise<Task> {
    const { id, historyLength, tenant } = request;
    this.policies.refuseOperation(call.principal, 'GetTask');
    noteTask(call.note, id);
    const task = await this.tasks.get(id, historyLength, named(call, tenant));
    await reserveFor(task, call.reserveAnswer);
    return task;
  }

  async listTasks(request: ListTasksRequest, call: CallContext): Promise<ListTasksResponse> {
    this.policies.refuseOperation(call.principal, 'ListTasks');
    const page = await this.tasks.list(request, named(call, request.tenant));
    await reserveFor(page, call.reserveAnswer);
    return page;
  }

  async cancelTask(request: CancelTaskRequest, call: CallContext): Promise<Task> {
    const { id, tenant, metadata } = request;
    this.policies.refuseOperation(call.principal, 'CancelTask');
    noteTask(call.note, id);
    const task = await this.tasks.cancel(id, named(call, tenant), metadata);
    await reserveForDone(task, call, id);
    return task;
  }

  subscribeToTask(
    request: SubscribeToTaskRequest,
    call: CallContext,
  ): AsyncGenerator<StreamItem, void, undefined> {
    this.policies.refuseOperation(call.principal, 'SubscribeToTask');
    noteTask(call.note, request.id);
    return this.tasks.subscribe(request.id, named(call, request.tenant));
  }

  createPushConfig(
    request: TaskPushNotificationConfig,
    call: CallContext,
    source: SourceDetails = {},
  ): Promise<TaskPushNotificationConfig> {
    noteTask(call.note, request.taskId);
    return this.push.create(request, named(call, request.tenant), source.authentication);
  }

  /** An empty `id` means the task's first config, as before 1.0. */
  getPushConfig(
    request: GetTaskPushNotificationConfigRequest,
    call: CallContext,
  ): Promise<TaskPushNotificationConfig> {
    this.policies.refuseOperation(call.principal, 'GetTaskPushNotificationConfig');
    noteTask(call.note, request.taskId);
    return this.push.get(request.taskId, request.id || undefined, named(call, request.tenant));
  }

  listPushConfigs(
    request: ListTaskPushNotificationConfigsRequest,
    call: CallContext,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    const { taskId, pageSize, pageToken, tenant } = request;
    this.policies.refuseOperation(call.principal, 'ListTaskPushNotificationConfigs');
    noteTask(call.note, taskId);
    return this.push.list(taskId, pageSize, pageToken, named(call, tenant));
  }

  async deletePushConfig(
    request: DeleteTaskPushNotificationConfigRequest,
    call: CallContext,
  ): Promise<void> {
    this.policies.refuseOperation(call.principal, 'DeleteTaskPushNotificationConfig');
    noteTask(call.note, request.taskId);
    await this.push.delete(request.taskId, request.id, named(call, request.tenant));
  }

  /**
   * The card for this caller (A2A §3.1.11), with signatures that hold in `form`, which is that of
   * its version unless the binding has another. Refused unless the card declares it; 0.3 has an error of its
   * own for that.
   */
  async getExtendedAgentCard(
    request: GetExtendedAgentCardRequest,
    call: CallContext,
    form: CardForm = call.version,
  ): Promise<AgentCard> {
    const { principal, agentId, version } = named(call, request.tenant);
    this.policies.refuseOperation(principal, 'GetExtendedAgentCard');
    if (this.capabilities.extendedAgentCard) {
      return this.cards.extendedCard(principal, agentId, form);
    }
    throw version === '1.0'
      ? new HubError('UNSUPPORTED_OPERATION', 'The hub has no extended agent card.')
      : new HubError(
          'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
          'Authenticated Extended Card not configured',
        );
  }

  private hubRequest(
    request: SendMessageRequest,
    call: CallContext,
    source: SourceDetails,
  ): HubRequest {
    const { message, configuration, metadata, tenant } = request;
    if (message === undefined) throw invalidField('message', 'is required');
    noteTask(call.note, message.taskId);
    const directive = readDirective(message.metadata, metadata);
    const answered =
      source.blocking === undefined
        ? { returnImmediately: configuration?.returnImmediately ?? false }
        : answeredWhen(source.blocking, this.config.tasks);
    return {
      message,
      configuration,
      metadata,
      directive,
      ...answered,
      ...named(call, tenant),
      hops: readHops(call.hops.join(','), metadata),
      idempotencyKey: call.idempotencyKey ?? directive.idempotencyKey,
    };
  }

  /** The webhook a message brings along: checked now, written in the commit of the message. */
  private async inline(
    { configuration }: SendMessageRequest,
    call: CallContext,
    source: SourceDetails,
  ): Promise<readonly EnlistedWork[]> {
    const config = configuration?.taskPushNotificationConfig;
    return config ? [await this.push.inline(config, call, source.authentication)] : [];
  }
}

/** Asks for room for what has been done and should not be asked for again: without room it says where to read it. */
async function reserveForDone(answer: object, call: CallContext, taskId: string): Promise<void> {
  try {
    await reserveFor(answer, call.reserveAnswer);
  } catch (cause) {
    throw answerNotReturned(taskId, cause);
  }
}

/** The call with the agent that `tenant` names; an address that names another agent wins nothing. */
function named(call: CallContext, tenant: string): CallContext {
  if (tenant === '' || tenant === call.agentId) return call;
  if (call.agentId !== undefined) {
    throw invalidField('tenant', `must be empty or ${call.agentId}, the agent of this address`);
  }
  return { ...call, agentId: tenant };
}
