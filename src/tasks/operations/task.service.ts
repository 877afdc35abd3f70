import { Inject, Injectable } from '@nestjs/common';
import { AgentRegistry } from '../../agents/index.js';
import { visibilityOf, EVERYTHING, refuseEnded } from '../../auth/index.js';
import { noteTask } from '../../common/call-note.js';
import { HubError, invalidField } from '../../common/hub-error.js';
import { reserveFor } from '../../common/reserve-for.js';
import { AppConfig } from '../../config/index.js';
import { TaskState, type ListTasksResponse, type Message, type Task } from '../../protocol/a2a.js';
import { isTerminal } from '../../protocol/task-state.js';
import { eventOf } from '../../protocol/wire-json.js';
import { activeExtensions, requestedExtensions, type HubRequest } from '../../routing/index.js';
import type { CallContext } from '../../auth/index.js';
import { TaskCanceler } from '../cancel/task-canceler.js';
import { FollowUps } from '../send/follow-up.js';
import { TaskStarter } from '../send/task-starter.js';
import { belongsTo } from '../store/visibility.js';
import { agentOf } from '../domain/agent-of.js';
import { answerNotReturned, taskHasEnded, taskNotFound } from '../domain/task-errors.js';
import { type ListParams, TaskLists } from '../reading/task-lists.js';
import { TaskLog } from '../log/task-log.js';
import type { EnlistedWork } from '../store/prepared-append.js';
import {
  type Snapshot,
  type StreamItem,
  type StreamReader,
  TaskStreams,
} from '../reading/task-streams.js';
import { viewTask } from '../reading/task-view.js';
import { TaskWaits } from '../reading/task-waits.js';
import { FIRST_MESSAGE_SEQ, NO_CHANGE, type TaskAggregate, type TaskRecord } from '../task.js';

/** The answer to a message: the agent's own Message, or the hub's task. */
export type SendAnswer =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'task'; readonly task: Task };

/** A message that is in its task's log. */
type Begun =
  | { readonly kind: 'created'; readonly taskId: string; readonly aggregate: TaskAggregate }
  /** The same request has begun this task before. */
  | { readonly kind: 'existing'; readonly taskId: string }
  | { readonly kind: 'follow-up'; readonly taskId: string };

/**
 * The operations of A2A on the hub's tasks, for every binding. Each sees the tasks of its caller only:
 * a stranger's task, one of another agent than the address names and an unknown one are the same
 * TASK_NOT_FOUND. They only write to the log and read from it; the runners do the work.
 */
@Injectable()
export class TaskService {
  private readonly settings: AppConfig['tasks'];

  constructor(
    private readonly log: TaskLog,
    private readonly starter: TaskStarter,
    private readonly followUps: FollowUps,
    private readonly canceler: TaskCanceler,
    private readonly streams: TaskStreams,
    private readonly waits: TaskWaits,
    private readonly lists: TaskLists,
    @Inject(AgentRegistry) private readonly agents: Pick<AgentRegistry, 'registeredAt' | 'knownAt'>,
    @Inject(AppConfig) { tasks }: Pick<AppConfig, 'tasks'>,
  ) {
    this.settings = tasks;
  }

  /**
   * SendMessage (A2A §3.1.1). Waits until the task has ended or waits for its client, unless the
   * request returns immediately; after `tasks.blockingWait` the working task is the answer. One that
   * `awaitsAgent` is answered once the agent has taken the task up, or after `tasks.firstEventWait`.
   * `enlisted` is written in the commit of the message, or in its own when the message is known already.
   */
  async send(request: HubRequest, enlisted: readonly EnlistedWork[] = []): Promise<SendAnswer> {
    const { log, waits, settings } = this;
    const begun = await this.begin(request, enlisted);
    noteTask(request.note, begun.taskId);
    if (request.returnImmediately) {
      if (request.awaitsAgent) {
        const maxMs = settings.firstEventWaitMs;
        await waits.takenUp(begun.taskId, maxMs, begun.kind === 'created', request.signal);
        if (request.signal) refuseEnded(request.signal, begun.taskId);
      }
      const isKnown = begun.kind === 'created' && !request.awaitsAgent;
      const aggregate = isKnown ? begun.aggregate : await this.aggregate(begun.taskId);
      this.activate(request, aggregate);
      return { kind: 'task', task: this.view(aggregate.task, request) };
    }
    const isNew = begun.kind === 'created';
    await waits.endedOrInterrupted(begun.taskId, settings.blockingWaitMs, isNew, request.signal);
    if (request.signal) refuseEnded(request.signal, begun.taskId);
    const aggregate = await this.aggregate(begun.taskId);
    this.activate(request, aggregate);
    if (begun.kind !== 'follow-up' && mayHaveReply(aggregate)) {
      const [event] = await log.events(begun.taskId, FIRST_MESSAGE_SEQ, 1);
      if (event?.kind === 'reply') return { kind: 'message', message: await messageOf(event.body) };
    }
    return { kind: 'task', task: this.view(aggregate.task, request) };
  }

  /**
   * SendStreamingMessage (A2A §3.1.2). A refusal is thrown before the first item. A new task is
   * streamed from its beginning (or as the agent's one Message), a follow-up from the task as it is.
   */
  async *sendStream(
    request: HubRequest,
    enlisted: readonly EnlistedWork[] = [],
  ): AsyncGenerator<StreamItem, void, undefined> {
    const { kind, taskId, waitMs } = await this.beginStream(request, enlisted);
    const reader = readerOfDone(request, taskId);
    if (kind === 'follow-up') {
      // Nothing here keeps the task: its stream may be open for hours.
      const snapshot = await this.snapshot(
        this.aggregate(taskId, reader.reserveAnswer),
        request,
        reader,
        request.configuration?.historyLength,
      );
      yield* this.streams.fromSnapshot(snapshot, reader, true);
    } else {
      yield* this.streams.fromStart(taskId, waitMs, reader);
    }
  }

  /**
   * SubscribeToTask (A2A §3.1.6): the task as it is, then what follows. With `lastEventId` only what
   * follows that event, also on a finished task (an addition to the specification); without it a
   * finished task is UNSUPPORTED_OPERATION.
   */
  async *subscribe(taskId: string, ctx: CallContext): AsyncGenerator<StreamItem, void, undefined> {
    const { streams } = this;
    const { seq, state } = await this.found(taskId, ctx);
    if (ctx.lastEventId !== undefined) {
      // Whoever has seen an event has seen one that is committed.
      if (ctx.lastEventId > seq) {
        throw invalidField(
          'Last-Event-ID',
          `must not be above ${seq}, the newest event of this task`,
        );
      }
      yield* streams.after(taskId, ctx.lastEventId, state, ctx);
      return;
    }
    if (isTerminal(state)) throw taskHasEnded(taskId);
    const snapshot = await this.snapshot(this.visible(taskId, ctx, ctx.reserveAnswer), ctx, ctx);
    if (isTerminal(snapshot.state)) throw taskHasEnded(taskId);
    yield* streams.fromSnapshot(snapshot, ctx);
  }

  /** GetTask (A2A §3.1.3). */
  async get(taskId: string, historyLength: number | undefined, ctx: CallContext): Promise<Task> {
    const aggregate = await this.visible(taskId, ctx, ctx.reserveAnswer);
    this.activate(ctx, aggregate);
    return viewTask(aggregate.task, { historyLength }, this.limit);
  }

  /** ListTasks (A2A §3.1.4). */
  list(params: ListParams, ctx: CallContext): Promise<ListTasksResponse> {
    return this.lists.list(params, ctx);
  }

  /**
   * CancelTask (A2A §3.1.5): records the intent, waits for the agents (each for its own bounded
   * time) and returns the task as it is then. `metadata` of the request goes to the agents.
   * TASK_NOT_CANCELABLE on a task that has ended, INVALID_PARAMS for more than 64 KiB of metadata.
   */
  async cancel(
    taskId: string,
    ctx: CallContext,
    metadata?: Readonly<Record<string, unknown>>,
  ): Promise<Task> {
    const { principal, agentId } = ctx;
    await this.canceler.cancel(taskId, visibilityOf(principal), agentId, metadata);
    const aggregate = await this.aggregate(taskId);
    this.activate(ctx, aggregate);
    return viewTask(aggregate.task, { historyLength: undefined }, this.limit);
  }

  private async begin(request: HubRequest, enlisted: readonly EnlistedWork[]): Promise<Begun> {
    const { taskId } = request.message;
    if (taskId === '') return this.create(request, enlisted);
    try {
      return await this.follow(request, enlisted);
    } catch (error) {
      if (!this.settings.acceptClientTaskIds || !isReason(error, 'TASK_NOT_FOUND')) throw error;
    }
    try {
      return await this.create(request, enlisted, taskId);
    } catch (error) {
      // Another request was faster: of the caller (then this is a follow-up) or a stranger (TASK_NOT_FOUND).
      if (isReason(error, 'CONFLICT')) return this.follow(request, enlisted);
      throw error;
    }
  }

  private async follow(request: HubRequest, enlisted: readonly EnlistedWork[]): Promise<Begun> {
    await this.followUps.add(request, enlisted);
    return { kind: 'follow-up', taskId: request.message.taskId };
  }

  private async create(
    request: HubRequest,
    enlisted: readonly EnlistedWork[],
    taskId?: string,
  ): Promise<Begun> {
    const created = await this.starter.start(request, enlisted, taskId);
    if (created.kind === 'existing') {
      if (enlisted.length > 0) await this.attach(created.taskId, enlisted);
      return created;
    }
    return { kind: 'created', taskId: created.aggregate.record.id, aggregate: created.aggregate };
  }

  /** What a repeated request brings along, which its first copy may not have had. */
  private attach(taskId: string, enlisted: readonly EnlistedWork[]): Promise<void> {
    return this.log.update(taskId, () => ({
      change: NO_CHANGE,
      result: undefined,
      enlisted,
    }));
  }

  /** Begins a stream with a message; how long the agent may take to answer with a plain Message. */
  private async beginStream(
    request: HubRequest,
    enlisted: readonly EnlistedWork[],
  ): Promise<Pick<Begun, 'kind' | 'taskId'> & { readonly waitMs: number }> {
    const begun = await this.begin(request, enlisted);
    const { kind, taskId } = begun;
    noteTask(request.note, taskId);
    if (kind === 'follow-up') return { kind, taskId, waitMs: 0 };
    const found =
      kind === 'created' ? begun.aggregate : await this.log.withoutContents(taskId, EVERYTHING);
    if (found === undefined) throw taskNotFound(taskId);
    this.activate(request, found);
    const { allowReply, state } = found.record;
    const mayReply = allowReply && !isTerminal(state);
    return { kind, taskId, waitMs: mayReply ? this.settings.firstEventWaitMs : 0 };
  }

  /** A task as a stream shows it first; what is large of it has room from here on. */
  private async snapshot(
    read: Promise<TaskAggregate>,
    call: CallContext | HubRequest,
    { reserveAnswer }: StreamReader,
    historyLength?: number,
  ): Promise<Snapshot> {
    const aggregate = await read;
    this.activate(call, aggregate);
    const { id: taskId, seq, state } = aggregate.record;
    const body = viewTask(aggregate.task, { historyLength }, this.limit);
    await reserveFor(body, reserveAnswer);
    return { taskId, state, item: { seq, body } };
  }

  /** The state of a task, of which the contents are not read. */
  private async found(taskId: string, ctx: CallContext): Promise<TaskRecord> {
    const visibility = visibilityOf(ctx.principal);
    const found = await this.log.withoutContents(taskId, visibility);
    if (!found || !belongsTo(found, visibility, ctx.agentId)) throw taskNotFound(taskId);
    this.activate(ctx, found);
    return found.record;
  }

  private async visible(
    taskId: string,
    ctx: CallContext,
    reserve?: CallContext['reserveAnswer'],
  ): Promise<TaskAggregate> {
    const visibility = visibilityOf(ctx.principal);
    const aggregate = await this.log.read(taskId, visibility, reserve);
    if (!aggregate || !belongsTo(aggregate, visibility, ctx.agentId)) throw taskNotFound(taskId);
    return aggregate;
  }

  private async aggregate(
    taskId: string,
    reserve?: CallContext['reserveAnswer'],
  ): Promise<TaskAggregate> {
    const aggregate = await this.log.read(taskId, EVERYTHING, reserve);
    if (!aggregate) throw taskNotFound(taskId);
    return aggregate;
  }

  /** Of the extensions asked for, those the task's agents declare are active (A2A §4.6.2). */
  private activate(
    call: CallContext | HubRequest,
    { delegations }: Pick<TaskAggregate, 'delegations'>,
  ): void {
    const requested =
      'message' in call ? requestedExtensions(call.extensions, call.message) : call.extensions;
    if (requested.length === 0) return;
    const agents = delegations.flatMap((each) => agentOf(this.agents, each) ?? []);
    for (const uri of activeExtensions(requested, agents)) call.activated.add(uri);
  }

  private view(task: Task, { configuration }: HubRequest): Task {
    return viewTask(task, { historyLength: configuration?.historyLength }, this.limit);
  }

  private get limit(): number {
    return this.settings.historyLimit;
  }
}

/** Who reads the stream of a message: that is done, and should not be sent again where there is no room for its stream. */
function readerOfDone(
  { signal, reserveAnswer, releaseAnswer }: StreamReader,
  taskId: string,
): StreamReader {
  return {
    ...(signal && { signal }),
    ...(releaseAnswer && { releaseAnswer }),
    ...(reserveAnswer && {
      reserveAnswer: (bytes: number) =>
        reserveAnswer(bytes).catch((cause: unknown) => {
          throw answerNotReturned(taskId, cause);
        }),
    }),
  };
}

/** An agent that completed a task without ever having one of its own has answered with a Message. */
function mayHaveReply({ record, delegations }: TaskAggregate): boolean {
  return (
    record.allowReply &&
    record.state === TaskState.TASK_STATE_COMPLETED &&
    delegations[0]?.downstreamTaskId === null
  );
}

async function messageOf(body: string): Promise<Message> {
  const { payload } = await eventOf(body);
  if (payload?.$case !== 'message') throw new Error('a reply in the log is not a message');
  return payload.value;
}

function isReason(error: unknown, reason: HubError['reason']): boolean {
  return error instanceof HubError && error.reason === reason;
}
