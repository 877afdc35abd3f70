import { randomUUID } from 'node:crypto';
import type { JsonObject } from './json.js';
import type { LiveTask } from './live-task.js';
import { ScriptedAgent, type ScriptedCall } from './scripted-agent.js';

const HELD = new Map([
  ['working', 'TASK_STATE_WORKING'],
  ['asking', 'TASK_STATE_INPUT_REQUIRED'],
]);

/**
 * An agent that completes everything at once, but for the texts `working` and `asking`: those tasks
 * stay in that state, whatever further messages they get, until they are canceled.
 */
export class HoldingAgent {
  /** By the id of the message that began them. */
  private readonly held = new Map<string, LiveTask>();

  private constructor(private readonly agent: ScriptedAgent) {
    agent.handlers['SendMessage'] = (call) => this.answer(call);
    agent.handlers['SendStreamingMessage'] = (call) => this.answer(call);
  }

  static async start(): Promise<HoldingAgent> {
    return new HoldingAgent(await ScriptedAgent.start());
  }

  get url(): string {
    return this.agent.url;
  }

  close(): Promise<void> {
    return this.agent.close();
  }

  /** Whether the task of this message was canceled. Throws when there is none. */
  isCanceled(messageId: string): boolean {
    return this.taskOf(messageId).ended;
  }

  /** The task of this message. Throws when there is none. */
  taskOf(messageId: string): LiveTask {
    const task = this.held.get(messageId);
    if (!task) throw new Error(`the agent has not got the message ${messageId}`);
    return task;
  }

  private answer(call: ScriptedCall): void {
    // What was sent is not needed later, and there are thousands of it.
    this.agent.calls.length = 0;
    const task = this.agent.tasks.get(String(call.message['taskId'])) ?? this.begin(call);
    const isStream = call.method === 'SendStreamingMessage';
    if (isStream && task) task.follow(call);
    else if (isStream) call.event({ task: completed(call.message) }).end();
    else call.result({ task: task?.snapshot() ?? completed(call.message) });
  }

  private begin(call: ScriptedCall): LiveTask | undefined {
    const state = HELD.get(call.text);
    if (state === undefined) return undefined;
    const task = this.agent.begin(call, { manual: true });
    task.setState(state, 'Held.');
    this.held.set(String(call.message['messageId']), task);
    return task;
  }
}

function completed(message: JsonObject): JsonObject {
  return {
    id: randomUUID(),
    contextId: String(message['contextId'] || 'context'),
    status: { state: 'TASK_STATE_COMPLETED', timestamp: new Date().toISOString() },
    artifacts: [{ artifactId: 'a', parts: [{ text: 'done' }] }],
  };
}
