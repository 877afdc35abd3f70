import { randomUUID } from 'node:crypto';
import { TaskState } from '@a2a-js/sdk';
import { AgentEvent } from '@a2a-js/sdk/server';
import { agentMessage, status } from './messages.mjs';

/** One run of the agent on one message: what it may publish. */
export class Turn {
  constructor(context, bus) {
    this.context = context;
    this.bus = bus;
    this.ids = { taskId: context.taskId, contextId: context.contextId };
  }

  get messageId() {
    return this.context.userMessage.messageId;
  }

  /** The task itself; first in every turn that is not answered by a message. */
  task() {
    const { task, taskId, contextId, userMessage } = this.context;
    this.bus.publish(
      AgentEvent.task(
        task ?? {
          id: taskId,
          contextId,
          status: status(TaskState.TASK_STATE_SUBMITTED),
          artifacts: [],
          history: [userMessage],
          metadata: undefined,
        },
      ),
    );
    return this;
  }

  working() {
    return this.status(TaskState.TASK_STATE_WORKING);
  }

  complete(text) {
    return this.status(TaskState.TASK_STATE_COMPLETED, text);
  }

  askForInput(text) {
    return this.status(TaskState.TASK_STATE_INPUT_REQUIRED, text);
  }

  reject(text) {
    return this.status(TaskState.TASK_STATE_REJECTED, text);
  }

  status(state, text) {
    const message = text === undefined ? undefined : agentMessage(this.ids, text);
    this.bus.publish(
      AgentEvent.statusUpdate({ ...this.ids, status: status(state, message), metadata: undefined }),
    );
    return this;
  }

  /** An artifact, or one chunk of it. */
  artifact(part, { artifactId = randomUUID(), append = false, lastChunk = true } = {}) {
    this.bus.publish(
      AgentEvent.artifactUpdate({
        ...this.ids,
        artifact: {
          artifactId,
          name: '',
          description: '',
          parts: [part],
          metadata: undefined,
          extensions: [],
        },
        append,
        lastChunk,
        metadata: undefined,
      }),
    );
    return this;
  }

  /** The answer is a message, and there is no task. */
  message(text) {
    this.bus.publish(
      AgentEvent.message({
        ...agentMessage({ taskId: '', contextId: this.ids.contextId }, text),
      }),
    );
  }
}
