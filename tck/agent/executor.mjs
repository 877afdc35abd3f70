import { TaskState } from '@a2a-js/sdk';
import { AgentEvent } from '@a2a-js/sdk/server';
import { status } from './messages.mjs';
import { scenarioFor } from './scenarios.mjs';
import { Turn } from './turn.mjs';

/** Plays the scenario of each message; a canceled task stops at once. */
export class ScenarioExecutor {
  #times;
  /** Context and abort signal of each task that has not been canceled, by task id. */
  #open = new Map();

  constructor(times) {
    this.#times = times;
  }

  async execute(context, bus) {
    const canceled = new AbortController();
    this.#open.set(context.taskId, { contextId: context.contextId, canceled });
    const turn = new Turn(context, bus);
    await scenarioFor(turn.messageId, this.#times)(turn, canceled.signal);
  }

  async cancelTask(taskId, bus) {
    const open = this.#open.get(taskId);
    this.#open.delete(taskId);
    open?.canceled.abort();
    bus.publish(
      AgentEvent.statusUpdate({
        taskId,
        contextId: open?.contextId ?? '',
        status: status(TaskState.TASK_STATE_CANCELED),
        metadata: undefined,
      }),
    );
    bus.finished();
  }
}
