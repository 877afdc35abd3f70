import { AgentCallError } from '../../agents/index.js';
import type { Task } from '../../protocol/a2a.js';
import type { EventBuffer, EventBatch } from './event-buffer.js';
import { DEFER_MS, DeferredEnd } from './deferred-end.js';
import type { RunContext } from './run-context.js';

/** How long an agent may take to return its task, where its stream was out of order. */
const FETCH_MS = 5000;

/** What is to be stored now. */
export interface StreamBatch extends EventBatch {
  /** The agent has sent two ends that differ: the reason to fail the delegation. */
  readonly conflict: string | undefined;
}

/**
 * Reads an agent's stream and holds its end back: that is released when the stream has closed, when the whole
 * task has come, when the client cancels, or after a second; where artifacts come after it, or some may not have been
 * heard before it, the agent's task is fetched first. Until there is an end, events pass as they are.
 */
export class AgentStreamReader {
  private deferred = new DeferredEnd();
  private cancelTimer: (() => void) | undefined;
  /** The end was held back for as long as it may be, and the stream is still open. */
  isOverdue = false;

  constructor(
    private readonly run: RunContext,
    private readonly buffer: EventBuffer,
  ) {
    run.flush = (): void => buffer.wake();
  }

  /** An end is held back: nothing more is expected of the agent. */
  get isDeferring(): boolean {
    return this.deferred.isDeferring;
  }

  /** Resolves with at least one event or with the end; with neither when an end is held back from now on. */
  async next(): Promise<StreamBatch> {
    const { deferred, run } = this;
    const wasDeferring = deferred.isDeferring;
    const batch = await this.buffer.next();
    const events = deferred.filter(batch.events);
    let { end } = batch;
    if (!deferred.isDeferring) return { events, end, conflict: undefined };
    if (!wasDeferring && end === undefined && !deferred.isDecided) {
      const more = await this.buffer.drainReady();
      deferred.filter(more.events);
      end = more.end;
    }
    const isDue = deferred.isDecided || this.isOverdue || run.canceling;
    if (end === undefined && !isDue) {
      this.startTimer();
      return { events, end, conflict: undefined };
    }
    return this.released(events, end);
  }

  close(): void {
    this.cancelTimer?.();
    this.run.flush = (): void => undefined;
  }

  private async released(
    events: EventBatch['events'],
    end: EventBatch['end'],
  ): Promise<StreamBatch> {
    const { deferred, run } = this;
    this.deferred = new DeferredEnd();
    this.cancelTimer?.();
    const { conflict } = deferred;
    if (conflict !== undefined) return { events, end, conflict };
    if (deferred.hasTask) run.deps.deviations.note(run.agent, 'task-after-end');
    if (deferred.isOutOfOrder) run.deps.deviations.note(run.agent, 'out-of-order');
    if (deferred.isOutOfOrder || (!deferred.hasTask && this.mayHaveMissed(events))) {
      const task = deferred.endedTaskId && (await this.currentTask(deferred.endedTaskId));
      if (task) deferred.resolve(task);
    }
    return { events: [...events, ...deferred.release()], end, conflict };
  }

  /** The agent may have sent events that no stream has brought; `events` are not stored yet. */
  private mayHaveMissed(events: EventBatch['events']): boolean {
    const { progress } = this.run.delegation;
    return (
      progress.mayHaveMissed === true && !events.some(({ payload }) => payload?.$case === 'task')
    );
  }

  /** The task as its agent has it; undefined when that cannot be read. */
  private async currentTask(id: string): Promise<Task | undefined> {
    const { run } = this;
    try {
      return await run.calls.within(FETCH_MS, (options) =>
        run.deps.client.getTask(run.agent, id, options),
      );
    } catch (error) {
      if (error instanceof AgentCallError) return undefined;
      throw error;
    }
  }

  private startTimer(): void {
    this.cancelTimer ??= this.run.deps.clock.after(DEFER_MS, () => {
      this.isOverdue = true;
      this.buffer.wake();
    });
  }
}
