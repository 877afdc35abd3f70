import {
  AgentCallError,
  AgentClient,
  type Agent,
  type AgentCallOptions,
  type AgentSend,
} from '../../../src/agents/index.js';
import type { Clock } from '../../../src/common/clock.js';
import { Role, StreamResponse, Task, TaskState, type Message } from '../../../src/protocol/a2a.js';
import {
  agentMessage,
  artifactUpdate,
  statusUpdate,
  textPart,
} from '../../../src/protocol/build.js';
import { applyEvent, emptyTask } from '../../../src/protocol/task-reducer.js';
import { isInterrupted, isTerminal } from '../../../src/protocol/task-state.js';
import type { Random } from '../fleet/random.js';
import { FakeAgent } from '../fake-agents.js';
import { aScript, type Act, type ScriptLimits } from './script.js';

/** What kind of agent it is. Chances are of a hundred calls. */
export interface Temper {
  readonly streaming: boolean;
  readonly version: '1.0' | '0.3';
  /** It has ListTasks. */
  readonly lists: boolean;
  /** It answers a send only when its task has ended or asks. */
  readonly blocking: boolean;
  /** Its tasks hold the messages of their status. */
  readonly keepsMessages: boolean;
  readonly cancels: 'at once' | 'never' | 'refuses';
  /** A call travels at most so long, there and back. */
  readonly latencyMs: number;
  readonly unreachable: number;
  /** The request, or its answer, is lost on the way. */
  readonly lost: number;
  /** A stream breaks off at an event. */
  readonly cut: number;
  readonly script: ScriptLimits;
}

type Payload = NonNullable<StreamResponse['payload']>;

/** Events for one reader. */
class Feed {
  private readonly items: StreamResponse[] = [];
  private end: { readonly error?: Error } | undefined;
  private wake: () => void = () => undefined;

  push(payload: Payload): void {
    if (!this.end) this.items.push(copyOf({ payload }));
    this.wake();
  }

  close(error?: Error): void {
    this.end ??= error ? { error } : {};
    this.wake();
  }

  async *read(signal: AbortSignal): AsyncGenerator<StreamResponse, void, undefined> {
    const abort = (): void => this.close(new AgentCallError('interrupted', 'aborted'));
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    for (;;) {
      const next = this.items.shift();
      if (next) yield next;
      else if (this.end) {
        signal.removeEventListener('abort', abort);
        if (this.end.error) throw this.end.error;
        return;
      } else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

/** A task of an agent, which goes on whoever listens: the truth that the hub's is compared with. */
class SimTask {
  readonly feeds = new Set<Feed>();
  /** Resolves when it has shown something. */
  readonly begun: Promise<void>;
  rested: Promise<void>;
  private hasBegun!: () => void;
  private rests!: () => void;

  constructor(readonly task: Task) {
    this.begun = new Promise((resolve) => (this.hasBegun = resolve));
    this.rested = new Promise((resolve) => (this.rests = resolve));
  }

  get state(): TaskState {
    return this.task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
  }

  get rest(): boolean {
    return isTerminal(this.state) || isInterrupted(this.state);
  }

  /** It works again. */
  resume(): void {
    this.rested = new Promise((resolve) => (this.rests = resolve));
  }

  emit(payload: Payload): void {
    if (isTerminal(this.state)) return;
    applyEvent(this.task, copyOf({ payload }).payload!);
    for (const feed of this.feeds) feed.push(payload);
    this.hasBegun();
    if (!this.rest) return;
    for (const feed of this.feeds) feed.close();
    this.feeds.clear();
    this.rests();
  }
}

/** An agent of the simulation: it outlives every hub process. */
export class SimAgent {
  readonly tasks = new Map<string, SimTask>();
  /** Every message that has arrived. */
  readonly received: Message[] = [];
  /** Its plain answers, by the id of the message. */
  readonly replies = new Map<string, Message[]>();
  readonly record: FakeAgent;
  private made = 0;

  constructor(
    readonly id: string,
    readonly temper: Temper,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly note: (what: string) => void,
  ) {
    const { streaming, version } = temper;
    this.record = new FakeAgent(id, () => undefined, { streaming, version });
  }

  /** The request has arrived. */
  receive({ message }: AgentSend): { readonly task: SimTask } | { readonly reply: Message } {
    this.received.push(message);
    const known = message.taskId === '' ? undefined : this.tasks.get(message.taskId);
    if (message.taskId !== '' && !known) throw new AgentCallError('not-found', 'no such task');
    if (known && isTerminal(known.state)) throw new AgentCallError('rejected', 'it has ended');
    const task = known ?? this.begin(message);
    const { id, contextId } = task.task;
    this.note(`${this.id} gets ${message.messageId} for ${id}`);
    applyEvent(task.task, {
      $case: 'message',
      value: { ...message, taskId: id, contextId, role: Role.ROLE_USER },
    });
    const script = aScript(this.random, this.temper.script, known !== undefined);
    if (script === 'reply') {
      this.tasks.delete(id);
      const parts = [textPart(`reply ${this.next()}`)];
      const reply = agentMessage(`reply-${this.next()}`, { taskId: '', contextId }, parts);
      const others = this.replies.get(message.messageId) ?? [];
      this.replies.set(message.messageId, [...others, reply]);
      return { reply };
    }
    if (known) known.resume();
    void this.play(task, script);
    return { task };
  }

  snapshot(id: string): Task {
    const found = this.tasks.get(id);
    if (!found) throw new AgentCallError('not-found', 'no such task');
    const task = Task.fromJSON(Task.toJSON(found.task));
    if (!this.temper.keepsMessages && task.status) task.status.message = undefined;
    return task;
  }

  private begin(message: Message): SimTask {
    const id = `${this.id}-task-${this.next()}`;
    const task = new SimTask(
      emptyTask(id, message.contextId || `${this.id}-context-${this.next()}`),
    );
    task.task.status = {
      state: TaskState.TASK_STATE_SUBMITTED,
      message: undefined,
      timestamp: this.clock.now().toISOString(),
    };
    this.tasks.set(id, task);
    return task;
  }

  private async play(task: SimTask, script: readonly Act[]): Promise<void> {
    for (const act of script) {
      if (act.afterMs > 0) await this.clock.sleep(act.afterMs);
      else await Promise.resolve();
      if (isTerminal(task.state)) return;
      task.emit(this.payloadOf(task.task, act));
    }
    this.note(`${task.task.id} is ${TaskState[task.state]}`);
  }

  private payloadOf({ id: taskId, contextId }: Task, act: Act): Payload {
    const ref = { taskId, contextId };
    if ('state' in act) {
      const { state, says } = act;
      const message = says ? agentMessage(`said-${this.id}-${this.next()}`, ref, says) : undefined;
      return statusUpdate(ref, state, this.clock.now(), message);
    }
    const artifact = {
      artifactId: act.artifactId,
      name: act.artifactId,
      description: '',
      parts: act.texts.map(textPart),
      metadata: undefined,
      extensions: [],
    };
    return artifactUpdate(ref, { artifact, append: act.append, lastChunk: act.lastChunk });
  }

  private next(): number {
    return (this.made += 1);
  }
}

/** Reaches {@link SimAgent}s over a network that takes time and loses what it is told to lose. */
export class SimClient extends AgentClient {
  constructor(
    private readonly agents: ReadonlyMap<string, SimAgent>,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {
    super();
  }

  async *stream(
    { id }: Agent,
    send: AgentSend,
    { signal }: AgentCallOptions,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const agent = await this.reach(id, signal);
    const feed = new Feed();
    const answer = agent.receive(send);
    if ('reply' in answer) {
      feed.push({ $case: 'message', value: answer.reply });
      feed.close();
    } else {
      feed.push({ $case: 'task', value: agent.snapshot(answer.task.task.id) });
      answer.task.feeds.add(feed);
    }
    yield* this.cutting(agent, feed, signal);
  }

  async send(
    { id }: Agent,
    send: AgentSend,
    { signal }: AgentCallOptions,
  ): Promise<{ readonly message: Message } | { readonly task: Task }> {
    const agent = await this.reach(id, signal);
    const answer = agent.receive(send);
    if ('reply' in answer) return this.back(agent, signal, { message: answer.reply });
    const { task } = answer;
    await Promise.race([agent.temper.blocking ? task.rested : task.begun, aborted(signal)]);
    return this.back(agent, signal, { task: agent.snapshot(task.task.id) });
  }

  async getTask({ id }: Agent, taskId: string, { signal }: AgentCallOptions): Promise<Task> {
    const agent = await this.reach(id, signal);
    return this.back(agent, signal, agent.snapshot(taskId));
  }

  async *subscribe(
    { id }: Agent,
    taskId: string,
    { signal }: AgentCallOptions,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const agent = await this.reach(id, signal);
    const { version, streaming } = agent.temper;
    const task = agent.tasks.get(taskId);
    if (version !== '1.0' || !streaming || !task || isTerminal(task.state)) {
      throw new AgentCallError('rejected', 'no subscription');
    }
    const feed = new Feed();
    feed.push({ $case: 'task', value: agent.snapshot(taskId) });
    task.feeds.add(feed);
    yield* this.cutting(agent, feed, signal);
  }

  async cancel({ id }: Agent, taskId: string, { signal }: AgentCallOptions): Promise<Task> {
    const agent = await this.reach(id, signal);
    const task = agent.tasks.get(taskId);
    if (!task) throw new AgentCallError('not-found', 'no such task');
    const { cancels } = agent.temper;
    if (cancels === 'refuses' || isTerminal(task.state)) {
      throw new AgentCallError('rejected', 'cannot be canceled', { code: -32002 });
    }
    if (cancels === 'at once') {
      const ref = { taskId, contextId: task.task.contextId };
      task.emit(statusUpdate(ref, TaskState.TASK_STATE_CANCELED, this.clock.now()));
    }
    return this.back(agent, signal, agent.snapshot(taskId));
  }

  async findTasksByMessage(
    { id }: Agent,
    contextId: string,
    messageId: string,
    { signal }: AgentCallOptions,
  ): Promise<readonly Task[]> {
    const agent = await this.reach(id, signal);
    if (!agent.temper.lists) return [];
    const found = [...agent.tasks.values()]
      .filter(({ task }) => contextId === '' || task.contextId === contextId)
      .filter(({ task }) => task.history.some((each) => each.messageId === messageId))
      .map(({ task }) => ({ ...agent.snapshot(task.id), artifacts: [] }));
    return this.back(agent, signal, found);
  }

  private async reach(id: string, signal: AbortSignal): Promise<SimAgent> {
    const agent = this.agents.get(id);
    if (!agent) throw new Error(`there is no agent ${id}`);
    const { unreachable, lost, latencyMs } = agent.temper;
    await this.clock.sleep(this.random.between(0, latencyMs), signal);
    if (signal.aborted) throw new AgentCallError('interrupted', 'aborted');
    if (this.random.percent(unreachable)) throw new AgentCallError('unreachable', 'refused');
    if (this.random.percent(lost)) throw new AgentCallError('interrupted', 'the request was lost');
    return agent;
  }

  private async back<T>({ temper }: SimAgent, signal: AbortSignal, answer: T): Promise<T> {
    await this.clock.sleep(this.random.between(0, temper.latencyMs), signal);
    if (signal.aborted) throw new AgentCallError('interrupted', 'aborted');
    if (this.random.percent(temper.lost)) {
      throw new AgentCallError('interrupted', 'the answer was lost');
    }
    return answer;
  }

  private async *cutting(
    { temper }: SimAgent,
    feed: Feed,
    signal: AbortSignal,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    for await (const event of feed.read(signal)) {
      if (this.random.percent(temper.cut)) throw new AgentCallError('interrupted', 'cut off');
      yield event;
    }
  }
}

function copyOf(event: StreamResponse): StreamResponse {
  return StreamResponse.fromJSON(StreamResponse.toJSON(event));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}
