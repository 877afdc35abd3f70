import type { Clock } from '../../common/clock.js';
import type { IdSource } from '../../common/ids.js';
import { withFirstOf } from '../../common/with-first-of.js';
import type { StreamResponse, Task } from '../../protocol/a2a.js';
import { Role } from '../../protocol/a2a.js';
import { textOf, textPart } from '../../protocol/build.js';
import { ERROR_CODES } from '../../protocol/error-codes.js';
import { isInterrupted, isTerminal, nameOfState } from '../../protocol/task-state.js';
import type { Agent } from '../agent.js';
import type { AgentSend } from '../client/agent-client.js';
import { AgentCallError } from '../binding/agent-call-error.js';
import type { DeviationKind } from '../registry/agent-deviations.js';
import { canStream } from '../client/can-stream.js';
import type { FileForm } from '../binding/file-forms.js';
import type { ProbingClient } from '../client/sdk-agent.client.js';
import type { Does, Outcome } from './domain/findings.js';

/** The pause between two looks at the task of a probe, unless the agent's own is longer. */
const LOOK_EVERY_MS = 500;
/** How long a stream may stay open behind its end: a whole task may follow. */
const LINGER_MS = 1000;
/** What is asked after the message may take so long in all. */
const QUESTIONS_MS = 5000;
/** Answers of GetTask in a row that are none, until the task counts as lost. */
const MAX_FAILURES = 3;

/** How agents say that they have not got an operation, in any binding. */
const HAS_NOT: ReadonlySet<number | undefined> = new Set([
  ERROR_CODES.METHOD_NOT_FOUND,
  ERROR_CODES.UNSUPPORTED_OPERATION,
]);

export interface ProbeDeps {
  readonly client: ProbingClient;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly note: (kind: DeviationKind) => void;
}

/** A question that has not been answered clearly. */
export interface Doubt {
  readonly operation: string;
  /** Null: there was no answer in the time for questions. */
  readonly failure: AgentCallError | null;
}

/** One message to an agent, and questions about it, within a deadline. Run once. */
export class ProbeRun {
  outcome: Outcome = 'late';
  failure: AgentCallError | undefined;
  answer: string | null = null;
  streams: Does = 'not-tested';
  answersGetTask: Does = 'not-tested';
  listsTasks: Does = 'not-tested';
  cancels: Does = 'not-tested';
  files: FileForm | null = null;
  firstAnswerMs: number | null = null;
  endMs: number | null = null;
  /** What its task says of its newest state. */
  words = '';
  readonly doubts: Doubt[] = [];
  private readonly startedAt: number;
  private readonly deadline = new AbortController();
  private taskId: string | null = null;
  private contextId = '';
  /** Its task has ended, or it has answered with a message. */
  private ended = false;
  private waits = false;

  constructor(
    private readonly deps: ProbeDeps,
    private readonly agent: Agent,
  ) {
    this.startedAt = this.now();
  }

  /** `modern`: whether what has answered is spoken to in 1.0. Rejects only where the hub itself is at fault. */
  async run(text: string, timeoutMs: number, isModern: () => boolean): Promise<void> {
    const cancel = this.deps.clock.after(timeoutMs, () => this.deadline.abort());
    try {
      await this.send(text);
      if (this.failure === undefined || this.taskId !== null) await this.follow();
    } finally {
      cancel();
      // Whatever is still open ends with it.
      this.deadline.abort();
    }
    if (this.ended || this.waits) this.outcome = 'answered';
    if (this.answer !== null) await this.questions(isModern);
  }

  private async send(text: string): Promise<void> {
    const send = messageOf(this.deps.ids.next(), text);
    if (!canStream(this.agent)) return this.sendOnce(send);
    this.streams = 'unclear';
    await this.attempt(() => this.stream(send));
    const { failure } = this;
    const isRefused = failure?.kind === 'rejected' && HAS_NOT.has(failure.detail.code);
    if (!isRefused || this.answer !== null) return;
    this.streams = 'no';
    this.deps.note('cannot-stream');
    this.failure = undefined;
    await this.sendOnce(send);
  }

  private async stream(send: AgentSend): Promise<void> {
    const lingering = new AbortController();
    const until = [this.deadline.signal, lingering.signal];
    try {
      await withFirstOf(until, (signal) => this.takeAll(send, signal, lingering));
      if (this.ended || this.waits) this.streams = 'yes';
    } catch (error) {
      if (!lingering.signal.aborted) throw error;
      this.streams = 'yes';
    }
  }

  /** Once the task has ended, the rest is waited for a moment. `signal` aborts with `lingering` as well. */
  private async takeAll(
    send: AgentSend,
    signal: AbortSignal,
    lingering: AbortController,
  ): Promise<void> {
    const { client, clock } = this.deps;
    let forget = (): void => undefined;
    try {
      for await (const event of client.stream(this.agent, send, { signal })) {
        const wasEnded = this.ended;
        this.take(event);
        if (event.payload?.$case !== 'task' && event.payload?.$case !== 'message') {
          this.streams = 'yes';
        }
        if (this.ended && !wasEnded) forget = clock.after(LINGER_MS, () => lingering.abort());
      }
    } finally {
      forget();
    }
  }

  private sendOnce(send: AgentSend): Promise<void> {
    return this.attempt(async () => {
      const { signal } = this.deadline;
      const answer = await this.deps.client.send(this.agent, send, { signal });
      this.take({
        payload:
          'task' in answer
            ? { $case: 'task', value: answer.task }
            : { $case: 'message', value: answer.message },
      });
    });
  }

  /** Until the task has ended or waits: after a stream that broke off, or without one. */
  private async follow(): Promise<void> {
    const { clock, note } = this.deps;
    const { failure, taskId } = this;
    if (failure?.kind === 'invalid' && taskId !== null) note('unreadable-event');
    const pauseMs = Math.max(this.agent.switches.pollIntervalMs ?? 0, LOOK_EVERY_MS);
    for (let failures = 0; taskId !== null && !this.hasOutcome && !this.isLate;) {
      try {
        const options = { signal: this.deadline.signal, contextId: this.contextId };
        this.takeTask(await this.deps.client.getTask(this.agent, taskId, options));
        this.answersGetTask = 'yes';
        failures = 0;
        if (failure !== undefined && this.streams === 'unclear') this.streams = 'no';
      } catch (error) {
        if (this.isLate) return;
        failures += 1;
        const does = doesGive(error, false);
        this.answersGetTask = does;
        if (does === 'no' || failures >= MAX_FAILURES) return this.fail(error, 'broke-off');
      }
      if (!this.hasOutcome) await clock.sleep(pauseMs, this.deadline.signal);
    }
  }

  /** What else it does, asked of the task of the probe, or of one it cannot have. */
  private async questions(isModern: () => boolean): Promise<void> {
    const { client, clock, ids } = this.deps;
    const limit = new AbortController();
    const { signal } = limit;
    const done = clock.after(QUESTIONS_MS, () => limit.abort());
    const options = { signal, contextId: this.contextId };
    const id = this.taskId ?? ids.next();
    const isUnknown = this.taskId === null;
    try {
      if (this.answersGetTask === 'not-tested') {
        const call = client.getTask(this.agent, id, options);
        this.answersGetTask = await this.does('GetTask', call, signal, isUnknown);
      }
      if (isModern()) {
        const call = client.listPage(this.agent, this.contextId, '', options);
        this.listsTasks = await this.does('ListTasks', call, signal, false);
      }
      const call = client.cancel(this.agent, id, options);
      this.cancels = await this.does('CancelTask', call, signal, isUnknown);
      this.files = await client.filesOf(this.agent, options).catch(noneUnlessFault);
    } finally {
      done();
      limit.abort();
    }
  }

  /** Never rejects, but for a fault of the hub itself. */
  private async does(
    operation: string,
    call: Promise<unknown>,
    signal: AbortSignal,
    isUnknown: boolean,
  ): Promise<Does> {
    try {
      await call;
      return 'yes';
    } catch (error) {
      const does = doesGive(error, isUnknown);
      if (does === 'unclear' && error instanceof AgentCallError) {
        this.doubts.push({ operation, failure: signal.aborted ? null : error });
      }
      return does;
    }
  }

  private async attempt(call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      if (!this.isLate) this.fail(error, 'refused');
    }
  }

  private fail(error: unknown, rejected: Outcome): void {
    if (!(error instanceof AgentCallError)) throw error;
    this.failure = error;
    const outcomes: Readonly<Partial<Record<AgentCallError['kind'], Outcome>>> = {
      unreachable: 'unreachable',
      invalid: 'unreadable',
      interrupted: 'broke-off',
    };
    this.outcome = outcomes[error.kind] ?? rejected;
  }

  private take({ payload }: StreamResponse): void {
    this.firstAnswerMs ??= this.now() - this.startedAt;
    switch (payload?.$case) {
      case 'message':
        if (this.taskId !== null && payload.value.taskId === this.taskId) {
          return this.deps.note('message-in-task');
        }
        this.contextId = payload.value.contextId;
        this.end('message');
        return;
      case 'task':
        if (this.ended) this.deps.note('task-after-end');
        return this.takeTask(payload.value);
      case 'statusUpdate':
        this.taskId ??= payload.value.taskId;
        this.contextId ||= payload.value.contextId;
        return this.takeState(payload.value.status);
      case 'artifactUpdate':
        if (this.ended) this.deps.note('out-of-order');
        this.taskId ??= payload.value.taskId;
        this.contextId ||= payload.value.contextId;
        this.answer ??= 'working';
        return;
      case undefined:
        return;
    }
  }

  private takeTask({ id, contextId, status }: Task): void {
    this.taskId = id;
    this.contextId = contextId;
    this.takeState(status);
  }

  private takeState(status: Task['status']): void {
    if (status === undefined) return;
    const { state } = status;
    this.answer = nameOfState(state);
    this.words = textOf(status.message);
    if (isTerminal(state)) this.end(this.answer);
    else this.waits = isInterrupted(state);
  }

  private end(answer: string): void {
    this.answer = answer;
    if (!this.ended) this.endMs = this.now() - this.startedAt;
    this.ended = true;
  }

  private get hasOutcome(): boolean {
    return this.ended || this.waits;
  }

  private get isLate(): boolean {
    return this.deadline.signal.aborted;
  }

  private now(): number {
    return this.deps.clock.now().getTime();
  }
}

function noneUnlessFault(error: unknown): null {
  if (error instanceof AgentCallError) return null;
  throw error;
}

/** What a refusal says of the operation. `isUnknown`: it was asked of a task that the agent cannot have. */
function doesGive(error: unknown, isUnknown: boolean): Does {
  if (!(error instanceof AgentCallError)) throw error;
  const { kind, detail } = error;
  if (kind === 'not-found') return isUnknown ? 'yes' : 'no';
  if (kind !== 'rejected') return 'unclear';
  if (detail.code === ERROR_CODES.TASK_NOT_CANCELABLE) return 'yes';
  return HAS_NOT.has(detail.code) ? 'no' : 'unclear';
}

function messageOf(messageId: string, text: string): AgentSend {
  return {
    message: {
      messageId,
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [textPart(text)],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    metadata: undefined,
    acceptedOutputModes: [],
  };
}
