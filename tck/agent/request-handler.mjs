import { randomUUID } from 'node:crypto';
import { TaskState } from '@a2a-js/sdk';
import {
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
} from '@a2a-js/sdk/errors';
import { createLegacyAwarePushNotificationSender } from '@a2a-js/sdk/compat/v0_3/server';
import {
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
} from '@a2a-js/sdk/server';
import { status } from './messages.mjs';

/**
 * The SDK's request handler with what the kits ask for and it leaves out: checks of messages and
 * history lengths, and the habits of A2A before 1.0.
 */
export class ReferenceRequestHandler extends DefaultRequestHandler {
  #store;
  #acceptClientTaskIds;

  /**
   * @param card - The agent's card in its 1.0 form.
   * @param executor - What the agent does.
   * @param acceptClientTaskIds - A message with an unknown task id opens the task under that id, as
   *   A2A 0.2.5 did.
   */
  constructor(card, executor, acceptClientTaskIds) {
    const store = new InMemoryTaskStore();
    const pushStore = new InMemoryPushNotificationStore();
    super(
      card,
      store,
      executor,
      undefined,
      pushStore,
      createLegacyAwarePushNotificationSender(pushStore),
    );
    this.#store = store;
    this.#acceptClientTaskIds = acceptClientTaskIds;
  }

  async sendMessage(request, context) {
    return super.sendMessage(await this.#checked(request, context), context);
  }

  async *sendMessageStream(request, context) {
    yield* super.sendMessageStream(await this.#checked(request, context), context);
  }

  async getTask(request, context) {
    checkHistoryLength(request.historyLength);
    return super.getTask(request, context);
  }

  async listTasks(request, context) {
    checkHistoryLength(request.historyLength);
    return super.listTasks(request, context);
  }

  async cancelTask(request, context) {
    if (speaksOlder(context)) {
      const task = await this.#store.load(request.id, context);
      if (task?.status?.state === TaskState.TASK_STATE_CANCELED)
        throw new TaskNotCancelableError(`Task not cancelable: ${request.id}`);
    }
    return super.cancelTask(request, context);
  }

  /** Before 1.0 the config's id is optional, and `default` is the first. */
  async getTaskPushNotificationConfig(request, context) {
    if (!speaksOlder(context) || !['', 'default'].includes(request.id))
      return super.getTaskPushNotificationConfig(request, context);
    const { configs } = await this.listTaskPushNotificationConfigs(request, context);
    if (configs.length === 0) throw new TaskNotFoundError('Push notification config not found');
    return configs[0];
  }

  async #checked(request, context) {
    const { message, configuration } = request;
    if (!message?.messageId) throw new RequestMalformedError('message.messageId is required');
    if (message.parts.length === 0 || message.parts.some((part) => part.content === undefined))
      throw new RequestMalformedError('message.parts must hold at least one part with content');
    checkHistoryLength(configuration?.historyLength);
    await this.#openUnderClientId(message, context);
    return speaksOlder(context) && !configuration
      ? { ...request, configuration: { acceptedOutputModes: [], returnImmediately: true } }
      : request;
  }

  async #openUnderClientId(message, context) {
    if (!this.#acceptClientTaskIds || !message.taskId) return;
    if (await this.#store.load(message.taskId, context)) return;
    await this.#store.save(
      {
        id: message.taskId,
        contextId: message.contextId || randomUUID(),
        status: status(TaskState.TASK_STATE_SUBMITTED),
        artifacts: [],
        history: [],
        metadata: undefined,
      },
      context,
    );
  }
}

function checkHistoryLength(historyLength) {
  if (historyLength < 0) throw new RequestMalformedError('historyLength must not be negative');
}

/** A request without `A2A-Version` is one of 0.3, as the specification says. */
function speaksOlder(context) {
  return !context.requestedVersion.startsWith('1.');
}
