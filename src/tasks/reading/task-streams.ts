import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { CallContext } from '../../auth/index.js';
import { LONG } from '../../common/long-work.js';
import { SMALL } from '../../common/slices.js';
import { timeLeft } from '../../common/time-left.js';
import { TaskState, type Task } from '../../protocol/a2a.js';
import { isTerminal } from '../../protocol/task-state.js';
import { type UpdateWaiter, UpdateWaiters } from '../signals/update-waiter.js';
import { TaskLog } from '../log/task-log.js';
import { FIRST_MESSAGE_SEQ, type TaskEvent } from '../task.js';
import { isShown } from '../domain/event-header.js';
import { textOf } from '../log/text-of-events.js';
import type { HasCapacity } from '../store/task-store.js';

/** One event of a stream, and its number in the task's log. */
export interface StreamItem {
  readonly seq: number;
  /** The 1.0 wire JSON of a StreamResponse, as it is in the log, or the task as of `seq`. See {@link takeBody}. */
  body: string | Task;
}

/**
 * Takes out of an item what it holds, where that is not small: all through whose hands an item goes keep it until the
 * next one comes, which may be hours.
 */
export function takeBody(item: StreamItem): string | Task {
  const { body } = item;
  if (typeof body !== 'string' || body.length > SMALL) item.body = '';
  return body;
}

/** Who reads a stream: its signal ends it, and what is large of it has room of its own. */
export type StreamReader = Pick<CallContext, 'signal' | 'reserveAnswer' | 'releaseAnswer'>;

/** A task as a stream begins with it. */
export interface Snapshot {
  readonly taskId: string;
  readonly state: TaskState;
  readonly item: StreamItem;
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
   * only item.
   */
  async *fromStart(
    taskId: string,
    waitMs: number,
    reader: StreamReader,
  ): AsyncGenerator<StreamItem, void, undefined> {
    const waiter = this.waiters.ofStream(taskId, reader.signal);
    try {
      const page = await this.firstEvents(taskId, waiter, waitMs, reader);
      const reply = page.find(({ kind }) => kind === 'reply');
      if (reply) yield { seq: reply.seq, body: reply.body };
      else yield* this.read({ taskId, seq: FIRST_MESSAGE_SEQ, atEnd: false }, waiter, reader, page);
    } finally {
      waiter.close();
    }
  }

  /**
   * The task as it is, then what follows: of a task that waits for its client, until it stops again, unless
   * its question is the answer (`isAnswer`) to the message that is sent with this stream.
   */
  async *fromSnapshot(
    { taskId, state, item }: Snapshot,
    reader: StreamReader,
    isAnswer = false,
  ): AsyncGenerator<StreamItem, void, undefined> {
    yield item;
    // It may have been large as it is stored alone.
    reader.releaseAnswer?.();
    const atEnd = isAnswer ? endsStream(state) : isTerminal(state);
    yield* this.follow({ taskId, seq: item.seq, atEnd }, reader);
  }

  /**
   * What follows `seq`, for a reader that has seen the rest; `state` is the task's as of then. A task
   * that waits for its client is waited for (A2A §3.1.6): the answer may come over another connection.
   */
  after(
    taskId: string,
    seq: number,
    state: TaskState,
    reader: StreamReader,
  ): AsyncGenerator<StreamItem, void, undefined> {
    return this.follow({ taskId, seq, atEnd: isTerminal(state) }, reader);
  }

  private async *follow(
    position: Position,
    reader: StreamReader,
  ): AsyncGenerator<StreamItem, void, undefined> {
    const waiter = this.waiters.ofStream(position.taskId, reader.signal);
    try {
      yield* this.read(position, waiter, reader);
    } finally {
      waiter.close();
    }
  }

  private async *read(
    { taskId, seq: after, atEnd }: Position,
    waiter: UpdateWaiter,
    reader: StreamReader,
    firstPage?: TaskEvent[],
  ): AsyncGenerator<StreamItem, void, undefined> {
    let seq = after;
    let ended = atEnd;
    let page = firstPage ?? (await this.page(taskId, seq, reader));
    for (let isOwn = false; ;) {
      // Only at the head of the log: an answered question in the middle of a replay ends nothing. What is known of it may be
      // older than an answer that came to another process.
      const mayGoOn = isFull(page) || (isOwn && isQuestion(page));
      // Nothing of a page stays here while more is waited for.
      for (let event = page.shift(); event !== undefined; event = page.shift()) {
        seq = Math.max(seq, event.seq);
        ended = endsAt(event, ended);
        if (!isShown(event)) continue;
        if (event.body.length > LONG) await reader.reserveAnswer?.(event.body.length);
        yield { seq: event.seq, body: event.body };
      }
      reader.releaseAnswer?.();
      isOwn = false;
      if (!mayGoOn) {
        if (ended || waiter.stopped) return;
        const own = (await waiter.wait()) ? this.ownEvents(taskId, seq) : undefined;
        isOwn = own !== undefined;
        if (own !== undefined) page = own;
      }
      if (!isOwn) page = await this.page(taskId, seq, reader);
    }
  }

  /** The events behind `seq`; where a text is large, once there is room for it. */
  private async page(taskId: string, seq: number, reader: StreamReader): Promise<TaskEvent[]> {
    const wanted = { size: 0 };
    const page = await this.log.events(taskId, seq, PAGE_SIZE, PAGE_TEXT, unlessLarge(wanted));
    if (wanted.size === 0) return page;
    await reader.reserveAnswer?.(wanted.size);
    return this.log.events(taskId, seq, PAGE_SIZE, PAGE_TEXT);
  }

  /**
   * What this process has just committed behind `seq`, if anything. What another one adds behind that makes the next commit
   * here fail, so that nothing is known here any more; or it is found when nothing is announced for a moment (ADR 0083).
   */
  private ownEvents(taskId: string, seq: number): TaskEvent[] | undefined {
    const own = this.log.ownEvents(taskId, seq, PAGE_SIZE);
    return own !== undefined && own.length > 0 ? own : undefined;
  }

  /** The log's beginning, with the agent's first event if it comes in time. */
  private async firstEvents(
    taskId: string,
    waiter: UpdateWaiter,
    waitMs: number,
    reader: StreamReader,
  ): Promise<TaskEvent[]> {
    const timeToWait = timeLeft(this.clock, waitMs);
    for (;;) {
      const page = await this.beginning(taskId, reader);
      const left = timeToWait();
      const hasCome = (page.at(-1)?.seq ?? 0) > FIRST_MESSAGE_SEQ;
      if (hasCome || left <= 0 || waiter.stopped) return page;
      await waiter.wait(left);
    }
  }

  /** The log's beginning, without the client's message where that is large: it is not shown. */
  private async beginning(taskId: string, reader: StreamReader): Promise<TaskEvent[]> {
    const wanted = { size: 0 };
    const page = await this.log.events(taskId, 0, PAGE_SIZE, PAGE_TEXT, unlessLarge(wanted));
    const isMessageLast = page.at(-1)?.seq === FIRST_MESSAGE_SEQ && isFull(page);
    if (wanted.size === 0 && !isMessageLast) return page;
    const first = await this.log.events(taskId, 0, FIRST_MESSAGE_SEQ - 1);
    return [...first, ...(await this.page(taskId, FIRST_MESSAGE_SEQ, reader))];
  }
}

/** How far a reader of a task has come, and whether nothing more is to be waited for. */
interface Position {
  readonly taskId: string;
  readonly seq: number;
  readonly atEnd: boolean;
}

/** Has no large page read, and notes how large it is. */
function unlessLarge(wanted: { size: number }): HasCapacity {
  return (size) => {
    if (size > LONG) wanted.size = size;
    return size <= LONG;
  };
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
