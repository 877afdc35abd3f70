import type { ByteReservation } from '../../common/byte-budget.js';
import { heapShare } from '../../common/heap-share.js';
import type { Task } from '../../protocol/a2a.js';
import { applyEvent, emptyTask } from '../../protocol/task-reducer.js';
import { memoryOfEvent, type TaskEvent, type TaskLog } from '../../tasks/index.js';
import { PAGE, logTurns, nextLimit, payloadOf, readPage } from './log-pages.js';

/** Replays kept, and what they may take together; the newest is kept whatever it takes. */
const MAX_KEPT = 100;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** A process with a small heap keeps less. */
const PART_OF_HEAP = 1 / 16;

interface Replay {
  task: Task;
  seq: number;
  /** Memory that what was taken in of the log takes, roughly: many small values take more than their characters. */
  bytes: number;
}

/** The log does not reach back as far as is needed. */
export class LogGoneError extends Error {
  override readonly name = 'LogGoneError';
}

/**
 * Tasks as they were at a point of their log, which is what webhook bodies are made of. A stream asks for
 * points in order, so the last replay of a stream is kept for a while and goes on from there.
 */
export class TaskReplays {
  /** By stream, least recently used first. */
  private readonly kept = new Map<string, Replay>();
  private bytes = 0;

  constructor(
    private readonly log: TaskLog,
    private readonly maxBytes = heapShare(PART_OF_HEAP, MAX_KEPT_BYTES),
  ) {}

  /**
   * The task after log entry `seq`. The caller must be done with it before it calls again, and gives the
   * budget for reading it. Throws {@link LogGoneError} when the log has no such entry (any more),
   * {@link UnrenderableError} when one up to there cannot be read, OverBudgetError when it has to be tried again.
   */
  async asOf(
    streamId: string,
    taskId: string,
    seq: number,
    reservation: ByteReservation,
  ): Promise<Task> {
    const known = this.take(streamId);
    const replay =
      known && known.seq <= seq ? known : { task: emptyTask(taskId, ''), seq: 0, bytes: 0 };
    try {
      await reservation.resize('replay', replay.bytes);
      await this.advance(replay, taskId, seq, reservation);
    } finally {
      // Also what has come only so far: the next try goes on from there.
      this.keep(streamId, replay);
    }
    return replay.task;
  }

  /** Forgets a stream that has delivered all. */
  forget(streamId: string): void {
    this.take(streamId);
  }

  private async advance(
    replay: Replay,
    taskId: string,
    seq: number,
    reservation: ByteReservation,
  ): Promise<void> {
    const turns = logTurns();
    for (let limit = PAGE; replay.seq < seq;) {
      const requested = { taskId, after: replay.seq, limit: Math.min(limit, seq - replay.seq) };
      const counted = { ...requested, part: 'replay', held: replay.bytes };
      const page = await readPage(this.log, counted, reservation);
      if (page[0]?.seq !== replay.seq + 1) {
        throw new LogGoneError(`The log of task ${taskId} has no entry ${replay.seq + 1}`);
      }
      const memory = await memoryOf(page);
      const pageBytes = memory.reduce((sum, bytes) => sum + bytes, 0);
      await reservation.resize('replay', replay.bytes + pageBytes);
      for (const [i, event] of page.entries()) {
        const turn = turns.next(event.body.length);
        if (turn) await turn;
        const read = payloadOf(event);
        const payload = read instanceof Promise ? await read : read;
        replay.task = applyEvent(replay.task, payload, event.kind);
        replay.seq = event.seq;
        replay.bytes += memory[i]!;
      }
      limit = nextLimit(page);
    }
  }

  private take(streamId: string): Replay | undefined {
    const replay = this.kept.get(streamId);
    if (replay) {
      this.kept.delete(streamId);
      this.bytes -= replay.bytes;
    }
    return replay;
  }

  private keep(streamId: string, replay: Replay): void {
    this.take(streamId);
    this.kept.set(streamId, replay);
    this.bytes += replay.bytes;
    for (const [oldest] of this.kept) {
      // The newest stays: its stream is about to go on from there, and would read all of it again.
      if (oldest === streamId) break;
      if (this.kept.size <= MAX_KEPT && this.bytes <= this.maxBytes) break;
      this.take(oldest);
    }
  }
}

/** What each of these events takes once it is a part of its task. */
async function memoryOf(page: readonly TaskEvent[]): Promise<number[]> {
  const memory: number[] = [];
  for (const event of page) {
    const bytes = memoryOfEvent(event);
    memory.push(typeof bytes === 'number' ? bytes : await bytes);
  }
  return memory;
}
