import { randomUUID } from 'node:crypto';
import {
  AgentCallError,
  AgentClient,
  type Agent,
  type AgentCallOptions,
  type AgentSend,
} from '../../src/agents/index.js';
import {
  AgentCard,
  Role,
  TaskState,
  type Message,
  type StreamResponse,
  type Task,
} from '../../src/protocol/a2a.js';
import { agentMessage, artifactUpdate, statusUpdate, textPart } from '../../src/protocol/build.js';
import { applyEvent, cloneTask, emptyTask } from '../../src/protocol/task-reducer.js';
import { anAgent } from './an-agent.js';

export type Kind = AgentCallError['kind'];
export type Call = 'stream' | 'send' | 'getTask' | 'subscribe' | 'cancel' | 'findTasksByMessage';

/** What an agent does with one message; it may go on after it has returned. */
export type Script = (turn: Turn) => unknown;

/** A queue that is read as a stream, until it is closed or cut. */
class Feed {
  private readonly items: StreamResponse[] = [];
  private end: { error: Error | undefined } | undefined;
  private wake: (() => void) | undefined;

  get isOpen(): boolean {
    return this.end === undefined;
  }

  push(event: StreamResponse): void {
    if (!this.end) this.items.push(event);
    this.wake?.();
  }

  close(error?: Error): void {
    this.end ??= { error };
    this.wake?.();
  }

  async *read(signal: AbortSignal): AsyncGenerator<StreamResponse, void, undefined> {
    const abort = (): void => this.close(new AgentCallError('interrupted', 'aborted'));
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    try {
      for (;;) {
        const next = this.items.shift();
        if (next) yield next;
        else if (this.end) {
          if (this.end.error) throw this.end.error;
          return;
        } else await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }
}

/** One message at an agent: how its script answers. */
export class Turn {
  private started: (() => void) | undefined;
  /** Resolves when the agent has something to answer to a call that does not stream. */
  readonly answered = new Promise<void>((resolve) => (this.started = resolve));
  message: Message | undefined;
  failure: AgentCallError | undefined;

  constructor(
    readonly agent: FakeAgent,
    readonly send: AgentSend,
    readonly taskId: string,
    readonly contextId: string,
    readonly feed: Feed,
  ) {}

  /** The text of the client's message. */
  get text(): string {
    const content = this.send.message.parts[0]?.content;
    return content?.$case === 'text' ? content.value : '';
  }

  /** The task as it is, as most agents begin a stream. */
  task(): void {
    this.emit({ payload: { $case: 'task', value: this.agent.snapshot(this.taskId) } }, false);
  }

  status(state: TaskState, text?: string): void {
    const ref = { taskId: this.taskId, contextId: this.contextId };
    const message = text === undefined ? undefined : agentMessage(randomUUID(), ref, text);
    this.emit({ payload: statusUpdate(ref, state, new Date(), message) });
  }

  working(text?: string): void {
    this.status(TaskState.TASK_STATE_WORKING, text);
  }

  completed(text?: string): void {
    this.status(TaskState.TASK_STATE_COMPLETED, text);
    this.close();
  }

  ask(question: string): void {
    this.status(TaskState.TASK_STATE_INPUT_REQUIRED, question);
    this.close();
  }

  chunk(text: string, options: { id?: string; append?: boolean; last?: boolean } = {}): void {
    const { id = 'result', append = false, last = false } = options;
    const artifact = {
      artifactId: id,
      name: '',
      description: '',
      parts: [textPart(text)],
      metadata: undefined,
      extensions: [],
    };
    const ref = { taskId: this.taskId, contextId: this.contextId };
    this.emit({ payload: artifactUpdate(ref, { artifact, append, lastChunk: last }) });
  }

  reply(text: string): void {
    this.message = agentMessage(randomUUID(), { taskId: '', contextId: this.contextId }, text);
    this.agent.forget(this.taskId);
    this.feed.push({ payload: { $case: 'message', value: this.message } });
    this.close();
  }

  /** Anything, also what is not allowed. */
  emit(event: StreamResponse, stored = true): void {
    if (stored && event.payload) this.agent.store(this.taskId, event.payload);
    this.feed.push(event);
    if (stored) this.agent.tell(this.taskId, event);
    this.started?.();
  }

  close(): void {
    this.feed.close();
    this.started?.();
  }

  /** The connection breaks; the agent may work on. */
  cut(): void {
    this.feed.close(new AgentCallError('interrupted', 'the connection was reset'));
    this.started?.();
  }

  fail(kind: Kind, message = kind as string, detail: AgentCallError['detail'] = {}): void {
    this.failure = new AgentCallError(kind, message, detail);
    this.agent.forget(this.taskId);
    this.feed.close(this.failure);
    this.started?.();
  }
}

export interface FakeAgentOptions {
  readonly streaming?: boolean;
  readonly version?: '1.0' | '0.3';
  readonly budgets?: Agent['budgets'];
  readonly enabled?: boolean;
}

/** An agent that lives in memory and outlives the hub in front of it. */
export class FakeAgent {
  readonly turns: Turn[] = [];
  readonly calls: { call: Call; taskId?: string; options?: AgentCallOptions }[] = [];
  readonly record: Agent;
  /** Refuses these calls; removed after use when `once`. */
  readonly refusals = new Map<
    Call,
    { kind: Kind; message: string; detail?: object; once?: boolean }
  >();
  /** What cancel does; by default the task is canceled. `silent` never answers. */
  onCancel: 'cancel' | 'silent' | 'working' | ((task: Task) => void) = 'cancel';
  private readonly tasks = new Map<string, Task>();
  private readonly subscribers = new Map<string, Set<Feed>>();

  constructor(
    readonly id: string,
    public script: Script,
    options: FakeAgentOptions = {},
  ) {
    const { streaming = true, version = '1.0', budgets = {}, enabled = true } = options;
    this.record = anAgent(id, {
      card: AgentCard.fromJSON({
        name: `Agent ${id}`,
        description: '',
        version: '1',
        capabilities: { streaming },
        skills: [{ id: 'work', name: 'work', description: '', tags: ['work', id] }],
      }),
      originalCard: '{}',
      endpoint: {
        url: `http://${id}.example`,
        protocolBinding: 'JSONRPC',
        protocolVersion: version,
        tenant: '',
      },
      enabled,
      budgets,
      createdAt: new Date(0),
      updatedAt: new Date(0),
    });
  }

  called(call: Call): number {
    return this.calls.filter((each) => each.call === call).length;
  }

  /** The newest message it was given. */
  get turn(): Turn {
    const turn = this.turns.at(-1);
    if (!turn) throw new Error(`agent ${this.id} has not been given a message`);
    return turn;
  }

  snapshot(taskId: string): Task {
    const task = this.tasks.get(taskId);
    if (!task) throw new AgentCallError('not-found', 'Task not found');
    return structuredCloneOf(task);
  }

  store(taskId: string, payload: NonNullable<StreamResponse['payload']>): void {
    const task = this.tasks.get(taskId);
    if (task) applyEvent(task, payload);
  }

  /** Open streams: of its messages, and of those who have subscribed to their tasks. */
  get openStreams(): number {
    const feeds = [...this.subscribers.values()].flatMap((each) => [...each]);
    return [...this.turns.map(({ feed }) => feed), ...feeds].filter(({ isOpen }) => isOpen).length;
  }

  tell(taskId: string, event: StreamResponse): void {
    for (const feed of this.subscribers.get(taskId) ?? []) feed.push(event);
  }

  forget(taskId: string): void {
    this.tasks.delete(taskId);
  }

  /** As if the newest message of this task had never arrived. */
  lose(taskId: string): void {
    this.tasks.get(taskId)?.history.pop();
  }

  /** The messages of this task have ids of the agent's own from now on. */
  renumber(taskId: string): void {
    const task = this.tasks.get(taskId);
    task?.history.forEach((message, index) => (message.messageId = `own-${index}`));
  }

  begin(send: AgentSend): Turn {
    const taskId = send.message.taskId || randomUUID();
    const contextId = send.message.contextId || randomUUID();
    const task = this.tasks.get(taskId) ?? emptyTask(taskId, contextId);
    task.history.push({ ...send.message, taskId, contextId, role: Role.ROLE_USER });
    this.tasks.set(taskId, task);
    const turn = new Turn(this, send, taskId, contextId, new Feed());
    this.turns.push(turn);
    void this.script(turn);
    return turn;
  }

  subscribe(taskId: string, signal: AbortSignal): AsyncGenerator<StreamResponse, void, undefined> {
    const feed = new Feed();
    feed.push({ payload: { $case: 'task', value: this.snapshot(taskId) } });
    const feeds = this.subscribers.get(taskId) ?? new Set();
    this.subscribers.set(taskId, feeds.add(feed));
    return feed.read(signal);
  }

  async cancel(taskId: string, signal: AbortSignal): Promise<Task> {
    if (this.onCancel === 'silent') {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new AgentCallError('interrupted', 'aborted');
    }
    const turn = this.turns.findLast((each) => each.taskId === taskId);
    if (this.onCancel === 'cancel') turn?.status(TaskState.TASK_STATE_CANCELED);
    if (typeof this.onCancel === 'function') {
      const task = this.tasks.get(taskId);
      if (task) this.onCancel(task);
    }
    return this.snapshot(taskId);
  }

  findByMessage(messageId: string): Task[] {
    return [...this.tasks.values()]
      .filter((task) => task.history.some((each) => each.messageId === messageId))
      .map(structuredCloneOf);
  }
}

function structuredCloneOf(task: Task): Task {
  return {
    ...cloneTask(task),
    artifacts: task.artifacts.map((each) => ({ ...each, parts: [...each.parts] })),
  };
}

/** {@link AgentClient} that talks to agents in memory. */
export class FakeAgentClient extends AgentClient {
  constructor(private readonly agents: ReadonlyMap<string, FakeAgent>) {
    super();
  }

  async *stream(
    agent: Agent,
    send: AgentSend,
    options: AgentCallOptions,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const fake = this.reach(agent, 'stream', undefined, options);
    yield* fake.begin(send).feed.read(options.signal);
  }

  async send(
    agent: Agent,
    send: AgentSend,
    options: AgentCallOptions,
  ): Promise<{ readonly message: Message } | { readonly task: Task }> {
    const turn = this.reach(agent, 'send', undefined, options).begin(send);
    await Promise.race([turn.answered, aborted(options.signal)]);
    if (options.signal.aborted) throw new AgentCallError('interrupted', 'aborted');
    if (turn.failure) throw turn.failure;
    return turn.message ? { message: turn.message } : { task: turn.agent.snapshot(turn.taskId) };
  }

  getTask(agent: Agent, taskId: string, options: AgentCallOptions): Promise<Task> {
    return attempt(() => this.reach(agent, 'getTask', taskId, options).snapshot(taskId));
  }

  async *subscribe(
    agent: Agent,
    taskId: string,
    options: AgentCallOptions,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    if (agent.endpoint.protocolVersion !== '1.0') {
      throw new AgentCallError('rejected', 'not an agent of 1.0');
    }
    yield* this.reach(agent, 'subscribe', taskId, options).subscribe(taskId, options.signal);
  }

  cancel(agent: Agent, taskId: string, options: AgentCallOptions): Promise<Task> {
    return attempt(() =>
      this.reach(agent, 'cancel', taskId, options).cancel(taskId, options.signal),
    );
  }

  findTasksByMessage(
    agent: Agent,
    _contextId: string,
    messageId: string,
    options: AgentCallOptions,
  ): Promise<readonly Task[]> {
    return attempt(() =>
      this.reach(agent, 'findTasksByMessage', undefined, options).findByMessage(messageId),
    );
  }

  private reach(
    { id }: Agent,
    call: Call,
    taskId: string | undefined,
    options: AgentCallOptions,
  ): FakeAgent {
    const fake = this.agents.get(id);
    if (!fake) throw new AgentCallError('unreachable', 'connection refused');
    fake.calls.push({ call, options, ...(taskId !== undefined && { taskId }) });
    const refusal = fake.refusals.get(call);
    if (refusal) {
      if (refusal.once) fake.refusals.delete(call);
      throw new AgentCallError(refusal.kind, refusal.message, refusal.detail);
    }
    return fake;
  }
}

async function attempt<T>(call: () => T | Promise<T>): Promise<T> {
  return call();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}
