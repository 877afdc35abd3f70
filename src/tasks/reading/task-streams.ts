import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { LONG } from '../../common/long-work.js';
import { timeLeft } from '../../common/time-left.js';
import { StreamResponse, TaskState, type Task } from '../../protocol/a2a.js';
import { isTerminal } from '../../protocol/task-state.js';
import { type UpdateWaiter, UpdateWaiters } from '../signals/update-waiter.js';
import { TaskLog } from '../log/task-log.js';
import { FIRST_MESSAGE_SEQ, type TaskEvent } from '../task.js';
import { isShown } from '../domain/event-header.js';
import { textOf } from '../log/text-of-events.js';

/** One event of a stream: the 1.0 wire JSON of a StreamResponse, and its number in the task's log. */
export interface StreamItem {
  readonly seq: number;
  readonly body: string;
}

/** Events read from the log at once, and their characters, give or take one event: a long replay never holds more in memory. */
const PAGE_SIZE = 200;
const PAGE_TEXT = LONG;

/**
 * Streams of a task, read from its log by sequence number, so that every reader gets the same bytes
 * in the same order wherever it is connected. All streams end when the process begins to drain, to be
 * resumed elsewhere. They are pulled: a reader that does not ask for the
 * next item delays no other reader and fills no memory.
 */
@Injectable()
export class TaskStreams {
  constructor(
    private readonly log: TaskLog,
    @Inject(UpdateWaiters) private readonly waiters: Pick<UpdateWaiters, 'ofStream'>,
    private readonly clock: Clock,
  ) {}

  /**
   * A task from its beginning. While its agent may still answer with a plain Message, the first item
   * waits for the agent's first event, at most `waitMs` (0: not at all): such a Message is then the
   * only item. `gone` ends this stream as it does the others: its reader has left.
   */
  async *fromStart(
    taskId: string,
    waitMs: number,
    gone?: AbortSignal,
  ): AsyncGenerator<StreamItem, void, undefined> {
    const waiter = this.waiters.ofStream(taskId, gone);
    try {
      const page = await this.firstEvents(taskId, waiter, waitMs);
      const reply = page.find(({ kind }) => kind === 'reply');
      if (reply) yield { seq: reply.seq, body: reply.body };
      else yield* this.read(taskId, 0, false, waiter, page);
    } finally {
      waiter.close();
    }
  }

  /**
   * The task as it is, as of `seq`, then what follows: of a task that waits for its client, until it stops again, unless
   * its question is the answer (`isAnswer`) to the message that is sent with this stream.
   */
  async *fromSnapshot(
    task: Task,
    seq: number,
    gone?: AbortSignal,
    isAnswer = false,
  ): AsyncGenerator<StreamItem, void, undefined> {
    yield {
      seq,
      body: JSON.stringify(StreamResponse.toJSON({ payload: { $case: 'task', value: task } })),
    };
    const state = task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
    yield* this.follow(task.id, seq, isAnswer ? endsStream(state) : isTerminal(state), gone);
  }

  /**
   * What follows `seq`, for a reader that has seen the rest; `state` is the task's as of then. A task
   * that waits for its client is waited for (A2A §3.1.6): the answer may come over another connection.
   */
  after(
    taskId: string,
    seq: number,
    state: TaskState,
    gone?: AbortSignal,
  ): AsyncGenerator<StreamItem, void, undefined> {
    return this.follow(taskId, seq, isTerminal(state), gone);
  }

  private async *follow(
    taskId: string,
    seq: number,
    atEnd: boolean,
    gone?: AbortSignal,
  ): AsyncGenerator<StreamItem, void, undefined> {
    const waiter = this.waiters.ofStream(taskId, gone);
    try {
      yield* this.read(taskId, seq, atEnd, waiter);
    } finally {
      waiter.close();
    }
  }

  private async *read(
    taskId: string,
    after: number,
    atEnd: boolean,
    waiter: UpdateWaiter,
    firstPage?: readonly TaskEvent[],
  ): AsyncGenerator<StreamItem, void, undefined> {
    let seq = after;
    let ended = atEnd;
    let page = firstPage ?? (await this.log.events(taskId, seq, PAGE_SIZE, PAGE_TEXT));
    for (let own: readonly TaskEvent[] | undefined; ;) {
      for (const event of page) {
        seq = event.seq;
        ended = endsAt(event, ended);
        if (isShown(event)) yield { seq, body: event.body };
      }
      // Only at the head of the log: an answered question in the middle of a replay ends nothing. What is known of it may be
      // older than an answer that came to another process.
      const mayGoOn = isFull(page) || (own !== undefined && isQuestion(page));
      own = undefined;
      if (!mayGoOn) {
        if (ended || waiter.stopped) return;
        own = (await waiter.wait()) ? this.ownEvents(taskId, seq) : undefined;
      }
      page = own ?? (await this.log.events(taskId, seq, PAGE_SIZE, PAGE_TEXT));
    }
  }

  /**
   * What this process has just committed behind `seq`, if anything. What another one adds behind that makes the next commit
   * here fail, so that nothing is known here any more; or it is found when nothing is announced for a moment (ADR 0083).
   */
  private ownEvents(taskId: string, seq: number): readonly TaskEvent[] | undefined {
    const own = this.log.ownEvents(taskId, seq, PAGE_SIZE);
    return own !== undefined && own.length > 0 ? own : undefined;
  }

  /** The log's beginning, with the agent's first event if it comes in time. */
  private async firstEvents(
    taskId: string,
    waiter: UpdateWaiter,
    waitMs: number,
  ): Promise<readonly TaskEvent[]> {
    const timeToWait = timeLeft(this.clock, waitMs);
    for (;;) {
      const page = await this.log.events(taskId, 0, PAGE_SIZE, PAGE_TEXT);
      if (page.length === FIRST_MESSAGE_SEQ && isFull(page)) {
        page.push(...(await this.log.events(taskId, FIRST_MESSAGE_SEQ, 1)));
      }
      const left = timeToWait();
      if (page.length > FIRST_MESSAGE_SEQ || left <= 0 || waiter.stopped) return page;
      await waiter.wait(left);
    }
  }
}

/** There may be more behind it. */
function isFull(page: readonly TaskEvent[]): boolean {
  return page.length >= PAGE_SIZE || textOf(page) >= PAGE_TEXT;
}

/** The last event leaves the task waiting for its client. */
function isQuestion(page: readonly TaskEvent[]): boolean {
  const state = page.at(-1)?.header.state;
  return state !== undefined && state !== null && endsStream(state) && !isTerminal(state);
}

/** Nothing follows until the client acts: a stream ends there. Authorization may come from elsewhere. */
function endsStream(state: TaskState): boolean {
  return isTerminal(state) || state === TaskState.TASK_STATE_INPUT_REQUIRED;
}

function endsAt({ kind, header: { state } }: TaskEvent, before: boolean): boolean {
  if (kind === 'message') return false;
  return kind === 'status' && state !== null ? endsStream(state) : before;
}
