import { type A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { HubError } from '../common/hub-error.js';
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
  StreamResponse,
  type SubscribeToTaskRequest,
  type Task,
  type TaskPushNotificationConfig,
} from '../protocol/a2a.js';
import type { CallContext } from '../routing/index.js';
import type { StreamItem } from '../tasks/index.js';
import type { HubRequestHandler, SourceDetails } from './hub-request-handler.js';

const CALL = 'hub-call';
const SOURCE = 'hub-source';
const SEQ = 'hub-seq';
const THROWN = 'hub-thrown';

/**
 * The context the SDK's transport handlers carry through: ours travels in its `state` (its `tenant`
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

/**
 * What an operation of this context threw: the SDK's handlers answer with an error of their own making
 * where ours knows more.
 */
export function thrownIn(context: ServerCallContext): unknown {
  return context.state.get(THROWN);
}

/** {@link HubRequestHandler} in the shape the SDK's 0.3 and gRPC handlers call. */
export class SdkRequestHandler implements A2ARequestHandler {
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
    return told(context, () => this.handler.getExtendedAgentCard(params, callOf(context)));
  }

  sendMessage(params: SendMessageRequest, context: ServerCallContext): Promise<Message | Task> {
    return told(context, () =>
      this.handler.sendMessage(params, callOf(context), sourceOf(context)),
    );
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
    return told(context, () => this.handler.getTask(params, callOf(context)));
  }

  listTasks(params: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    return told(context, () => this.handler.listTasks(params, callOf(context)));
  }

  cancelTask(params: CancelTaskRequest, context: ServerCallContext): Promise<Task> {
    return told(context, () => this.handler.cancelTask(params, callOf(context)));
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
    return told(context, () =>
      this.handler.createPushConfig(params, callOf(context), sourceOf(context)),
    );
  }

  getTaskPushNotificationConfig(
    params: GetTaskPushNotificationConfigRequest,
    context: ServerCallContext,
  ): Promise<TaskPushNotificationConfig> {
    return told(context, () => this.handler.getPushConfig(params, callOf(context)));
  }

  listTaskPushNotificationConfigs(
    params: ListTaskPushNotificationConfigsRequest,
    context: ServerCallContext,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    return told(context, () => this.handler.listPushConfigs(params, callOf(context)));
  }

  deleteTaskPushNotificationConfig(
    params: DeleteTaskPushNotificationConfigRequest,
    context: ServerCallContext,
  ): Promise<void> {
    return told(context, () => this.handler.deletePushConfig(params, callOf(context)));
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

async function told<T>(context: ServerCallContext, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    context.state.set(THROWN, thrown);
    throw thrown;
  }
}

async function* decoded(
  items: AsyncGenerator<StreamItem, void, undefined>,
  context: ServerCallContext,
): AsyncGenerator<StreamResponse, void, undefined> {
  for await (const item of items) {
    context.state.set(SEQ, item.seq);
    yield StreamResponse.fromJSON(JSON.parse(item.body));
  }
}

function callOf(context: ServerCallContext): CallContext {
  const call = context.state.get(CALL) as CallContext | undefined;
  if (call === undefined) throw new HubError('INTERNAL', 'The call has no context.');
  return call;
}

function sourceOf(context: ServerCallContext): SourceDetails {
  return (context.state.get(SOURCE) as SourceDetails | undefined) ?? {};
}
