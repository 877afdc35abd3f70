import { AgentCallError } from '../../agents/index.js';
import type { Task } from '../../protocol/a2a.js';
import type { EventBuffer, EventBatch } from './event-buffer.js';
import { HOLD_MS, TerminalHold } from './terminal-hold.js';
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
 * task has come, when the client cancels, or after a second; where artifacts come after it, the agent's task is
 * fetched first. Until there is an end, events pass as they are.
 */
export class AgentStreamReader {
  private held = new TerminalHold();
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
  get isHolding(): boolean {
    return this.held.isHolding;
  }

  /** Resolves with at least one event or with the end; with neither when an end is held back from now on. */
  async next(): Promise<StreamBatch> {
    const { held, run } = this;
    const wasHolding = held.isHolding;
    const batch = await this.buffer.next();
    const events = held.filter(batch.events);
    let { end } = batch;
    if (!held.isHolding) return { events, end, conflict: undefined };
    if (!wasHolding && end === undefined && !held.isDecided) {
      const more = await this.buffer.drainReady();
      held.filter(more.events);
      end = more.end;
    }
    const isDue = held.isDecided || this.isOverdue || run.canceling;
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
    const { held, run } = this;
    this.held = new TerminalHold();
    this.cancelTimer?.();
    const { conflict } = held;
    if (conflict !== undefined) return { events, end, conflict };
    if (held.hasTask) run.deps.deviations.note(run.agent, 'task-after-end');
    if (held.outOfOrderTaskId !== undefined) {
      run.deps.deviations.note(run.agent, 'out-of-order');
      const task = await this.currentTask(held.outOfOrderTaskId);
      if (task !== undefined) held.resolve(task);
    }
    return { events: [...events, ...held.release()], end, conflict };
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
    this.cancelTimer ??= this.run.deps.clock.after(HOLD_MS, () => {
      this.isOverdue = true;
      this.buffer.wake();
    });
  }
}
