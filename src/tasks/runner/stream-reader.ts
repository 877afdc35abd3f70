import { AgentCallError } from '../../agents/index.js';
import type { Task } from '../../protocol/a2a.js';
import type { EventBuffer, Taken } from './event-buffer.js';
import { HOLD_MS, TerminalHold } from './terminal-hold.js';
import type { RunContext } from './run-context.js';

/** How long an agent may take to say how its task has ended, where its stream was out of order. */
const ASK_MS = 5000;

/** What is to be stored now. */
export interface StreamBatch extends Taken {
  /** The agent has told two ends that differ: this is to fail the delegation. */
  readonly conflict: string | undefined;
}

/**
 * What an agent's stream brings, without the end that it tells: that is given when the stream has closed, when
 * the whole task has come, when the client cancels, or after a second; an agent whose artifacts come behind it is
 * asked for its task first. Until there is one, events pass as they are.
 */
export class StreamReader {
  private held = new TerminalHold();
  private cancelTimer: (() => void) | undefined;
  /** The end was held for as long as it may be, and the stream is still open. */
  isOverdue = false;

  constructor(
    private readonly run: RunContext,
    private readonly intake: EventBuffer,
  ) {
    run.flush = (): void => intake.nudge();
  }

  /** An end is held: nothing more is expected of the agent. */
  get holds(): boolean {
    return this.held.holds;
  }

  /** Resolves with at least one event or with the end; with neither when an end is held from now on. */
  async take(): Promise<StreamBatch> {
    const { held, run } = this;
    const wasHeld = held.holds;
    const taken = await this.intake.take();
    const events = held.sift(taken.events);
    let { end } = taken;
    if (!held.holds) return { events, end, conflict: undefined };
    if (!wasHeld && end === undefined && !held.isDecided) {
      const along = await this.intake.takeAlong();
      held.sift(along.events);
      end = along.end;
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

  private async released(events: Taken['events'], end: Taken['end']): Promise<StreamBatch> {
    const { held, run } = this;
    this.held = new TerminalHold();
    this.cancelTimer?.();
    const { conflict } = held;
    if (conflict !== undefined) return { events, end, conflict };
    if (held.hasTask) run.deps.quirks.note(run.agent, 'task-after-end');
    if (held.disordered !== undefined) {
      run.deps.quirks.note(run.agent, 'out-of-order');
      const task = await this.asked(held.disordered);
      if (task !== undefined) held.settle(task);
    }
    return { events: [...events, ...held.release()], end, conflict };
  }

  /** The task as its agent has it; undefined when it cannot say. */
  private async asked(id: string): Promise<Task | undefined> {
    const { run } = this;
    try {
      return await run.calls.within(ASK_MS, (options) =>
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
      this.intake.nudge();
    });
  }
}
