import { randomUUID } from 'node:crypto';
import {
  type Artifact,
  type Message,
  type Part,
  Role,
  type Task,
  TaskState,
  type TaskStatus,
} from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from '@a2a-js/sdk/server';

/** One run of an agent on one message, with the words a test needs. */
export class AgentTurn {
  readonly canceled = new AbortController();

  constructor(
    readonly context: RequestContext,
    readonly bus: ExecutionEventBus,
  ) {}

  get taskId(): string {
    return this.context.taskId;
  }

  get contextId(): string {
    return this.context.contextId;
  }

  get message(): Message {
    return this.context.userMessage;
  }

  /** All text parts of the message, joined. */
  get text(): string {
    return textOf(this.message.parts);
  }

  /** True when the message continues a task. */
  get isFollowUp(): boolean {
    return this.context.task !== undefined;
  }

  /** Publishes the task; must come first (unless the answer is a plain message). */
  task(state: TaskState = TaskState.TASK_STATE_SUBMITTED): this {
    const task: Task = this.context.task ?? {
      id: this.taskId,
      contextId: this.contextId,
      status: status(state),
      artifacts: [],
      history: [this.message],
      metadata: undefined,
    };
    this.bus.publish(AgentEvent.task(task));
    return this;
  }

  status(state: TaskState, text?: string): this {
    const message = text === undefined ? undefined : this.agentMessage(text);
    this.bus.publish(
      AgentEvent.statusUpdate({
        taskId: this.taskId,
        contextId: this.contextId,
        status: status(state, message),
        metadata: undefined,
      }),
    );
    return this;
  }

  working(text?: string): this {
    return this.status(TaskState.TASK_STATE_WORKING, text);
  }

  complete(text?: string): this {
    return this.status(TaskState.TASK_STATE_COMPLETED, text);
  }

  fail(text?: string): this {
    return this.status(TaskState.TASK_STATE_FAILED, text);
  }

  askForInput(question: string): this {
    return this.status(TaskState.TASK_STATE_INPUT_REQUIRED, question);
  }

  /** One chunk; `append` adds to the artifact of this id. */
  artifact(
    artifactId: string,
    text: string,
    options: { append?: boolean; lastChunk?: boolean; name?: string } = {},
  ): this {
    const artifact: Artifact = {
      artifactId,
      name: options.name ?? artifactId,
      description: '',
      parts: [textPart(text)],
      metadata: undefined,
      extensions: [],
    };
    this.bus.publish(
      AgentEvent.artifactUpdate({
        taskId: this.taskId,
        contextId: this.contextId,
        artifact,
        append: options.append ?? false,
        lastChunk: options.lastChunk ?? true,
        metadata: undefined,
      }),
    );
    return this;
  }

  /** Answers with a plain Message: no task. */
  reply(text: string): this {
    const message = { ...this.agentMessage(text), taskId: '' };
    this.bus.publish(AgentEvent.message(message));
    return this;
  }

  /** One artifact of these parts. */
  artifactOf(artifactId: string, parts: Part[], metadata?: Record<string, unknown>): this {
    const artifact: Artifact = {
      artifactId,
      name: artifactId,
      description: '',
      parts,
      metadata,
      extensions: [],
    };
    this.bus.publish(
      AgentEvent.artifactUpdate({
        taskId: this.taskId,
        contextId: this.contextId,
        artifact,
        append: false,
        lastChunk: true,
        metadata: undefined,
      }),
    );
    return this;
  }

  /** Waits until the task is canceled. */
  async untilCanceled(): Promise<void> {
    if (this.canceled.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.canceled.signal.addEventListener('abort', () => resolve());
    });
  }

  /** Waits; ends early (and returns true) when the task is canceled. */
  async pause(ms: number): Promise<boolean> {
    if (this.canceled.signal.aborted) return true;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.canceled.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    return this.canceled.signal.aborted;
  }

  private agentMessage(text: string): Message {
    return {
      messageId: randomUUID(),
      contextId: this.contextId,
      taskId: this.taskId,
      role: Role.ROLE_AGENT,
      parts: [textPart(text)],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
  }
}

/** An executor whose turns a test can look at. */
export class TurnExecutor implements AgentExecutor {
  readonly turns: AgentTurn[] = [];
  private readonly running = new Map<string, AgentTurn>();

  constructor(private readonly run: (turn: AgentTurn) => Promise<void> | void) {}

  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const turn = new AgentTurn(context, bus);
    this.turns.push(turn);
    this.running.set(turn.taskId, turn);
    try {
      await this.run(turn);
    } finally {
      if (this.running.get(turn.taskId) === turn) this.running.delete(turn.taskId);
    }
  }

  async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    const turn = this.running.get(taskId) ?? this.turns.findLast((one) => one.taskId === taskId);
    turn?.canceled.abort();
    turn?.status(TaskState.TASK_STATE_CANCELED);
    bus.finished();
  }
}

/** Text of all text parts. */
export function textOf(parts: readonly Part[] | undefined): string {
  return (parts ?? [])
    .map((part) => (part.content?.$case === 'text' ? part.content.value : ''))
    .join('');
}

export function textPart(text: string): Part {
  return {
    content: { $case: 'text', value: text },
    metadata: undefined,
    filename: '',
    mediaType: 'text/plain',
  };
}

function status(state: TaskState, message?: Message): TaskStatus {
  return { state, message, timestamp: new Date().toISOString() };
}
