import { type A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { HubError } from '../common/hub-error.js';
import { MAX_PAGE_SIZE } from '../common/page.js';
import {
  type AgentCard,
  type CancelTaskRequest,
  type DeleteTaskPushNotificationConfigRequest,
  type GetExtendedAgentCardRequest,
  type GetTaskPushNotificationConfigRequest,
  type GetTaskRequest,
  type ListTaskPushNotificationConfigsRequest,
  type ListTaskPushNotificationConfigsResponse,
  type ListTasksRequest,
  type ListTasksResponse,
  type Message,
  type SendMessageRequest,
  type StreamResponse,
  type SubscribeToTaskRequest,
  type Task,
  type TaskPushNotificationConfig,
} from '../protocol/a2a.js';
import { eventOf } from '../protocol/wire-json.js';
import type { CallContext } from '../auth/index.js';
import { type StreamItem, takeBody } from '../tasks/index.js';
import type { HubRequestHandler, SourceDetails } from './hub-request-handler.js';
import { responseOf } from './item-text.js';

const CALL = 'hub-call';
const SOURCE = 'hub-source';
const SEQ = 'hub-seq';

/**
 * The context the SDK's handler carries through: ours travels in its `state` (its `tenant`
 * cannot be set twice).
 */
export function sdkContextOf(call: CallContext, source: SourceDetails): ServerCallContext {
  return new ServerCallContext({
    requestedVersion: call.version,
    state: new Map<string, unknown>([
      [CALL, call],
      [SOURCE, source],
    ]),
  });
}

/** The seq of the item that a stream of this context yielded last. */
export function lastSeqOf(context: ServerCallContext): number {
  return context.state.get(SEQ) as number;
}

/** {@link HubRequestHandler} in the shape the SDK's handler of 0.3 calls. */
export class V0RequestHandler implements A2ARequestHandler {
  constructor(private readonly handler: HubRequestHandler) {}

  /** Only what the SDK looks at: whether streams may be opened. */
  getAgentCard(): Promise<AgentCard> {
    const capabilities = { ...this.handler.capabilities, extensions: [] };
    return Promise.resolve({ ...CARD, capabilities });
  }

  getAuthenticatedExtendedAgentCard(
    params: GetExtendedAgentCardRequest,
    context: ServerCallContext,
  ): Promise<AgentCard> {
    return this.handler.getExtendedAgentCard(params, callOf(context));
  }

  sendMessage(params: SendMessageRequest, context: ServerCallContext): Promise<Message | Task> {
    return this.handler.sendMessage(params, callOf(context), sourceOf(context));
  }

  sendMessageStream(
    params: SendMessageRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const { handler } = this;
    return decoded(
      handler.sendStreamingMessage(params, callOf(context), sourceOf(context)),
      context,
    );
  }

  getTask(params: GetTaskRequest, context: ServerCallContext): Promise<Task> {
    return this.handler.getTask(params, callOf(context));
  }

  listTasks(params: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    return this.handler.listTasks(params, callOf(context));
  }

  cancelTask(params: CancelTaskRequest, context: ServerCallContext): Promise<Task> {
    const { metadata } = sourceOf(context);
    return this.handler.cancelTask({ ...params, metadata }, callOf(context));
  }

  resubscribe(
    params: SubscribeToTaskRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    return decoded(this.handler.subscribeToTask(params, callOf(context)), context);
  }

  createTaskPushNotificationConfig(
    params: TaskPushNotificationConfig,
    context: ServerCallContext,
  ): Promise<TaskPushNotificationConfig> {
    return this.handler.createPushConfig(params, callOf(context), sourceOf(context));
  }

  getTaskPushNotificationConfig(
    params: GetTaskPushNotificationConfigRequest,
    context: ServerCallContext,
  ): Promise<TaskPushNotificationConfig> {
    return this.handler.getPushConfig(params, callOf(context));
  }

  /** All of them: the operation of 0.3 has no pages. */
  async listTaskPushNotificationConfigs(
    params: ListTaskPushNotificationConfigsRequest,
    context: ServerCallContext,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    const configs: TaskPushNotificationConfig[] = [];
    let pageToken = '';
    do {
      const request = { ...params, pageSize: MAX_PAGE_SIZE, pageToken };
      const page = await this.handler.listPushConfigs(request, callOf(context));
      configs.push(...page.configs);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    return { configs, nextPageToken: '' };
  }

  deleteTaskPushNotificationConfig(
    params: DeleteTaskPushNotificationConfigRequest,
    context: ServerCallContext,
  ): Promise<void> {
    return this.handler.deletePushConfig(params, callOf(context));
  }
}

const CARD: AgentCard = {
  name: '',
  description: '',
  version: '',
  supportedInterfaces: [],
  provider: undefined,
  capabilities: undefined,
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
  signatures: [],
};

async function* decoded(
  items: AsyncGenerator<StreamItem, void, undefined>,
  context: ServerCallContext,
): AsyncGenerator<StreamResponse, void, undefined> {
  for await (const item of items) {
    context.state.set(SEQ, item.seq);
    const read = readItem(item);
    const event = read instanceof Promise ? await read : read;
    yield event;
    // The SDK's generators keep it until the next one comes.
    event.payload = undefined;
  }
}

function readItem(item: StreamItem): StreamResponse | Promise<StreamResponse> {
  const body = takeBody(item);
  return typeof body === 'string' ? eventOf(body) : responseOf(body);
}

function callOf(context: ServerCallContext): CallContext {
  const call = context.state.get(CALL) as CallContext | undefined;
  if (call === undefined) throw new HubError('INTERNAL', 'The call has no context.');
  return call;
}

function sourceOf(context: ServerCallContext): SourceDetails {
  return (context.state.get(SOURCE) as SourceDetails | undefined) ?? {};
}
