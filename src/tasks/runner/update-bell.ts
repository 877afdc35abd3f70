import { AgentCallError } from '../../agents/index.js';
import { isInterrupted, isTerminal } from '../../protocol/task-state.js';
import type { StreamResponse } from '../../protocol/a2a.js';
import type { RunContext } from './run-context.js';
import { OVER } from '../over.js';

/** Pauses before a broken subscription is tried again; after the last one the task is only polled. */
const RETRY_PAUSES_MS = [1000, 2000, 4000] as const;

/**
 * Follows an agent's stream of a task to learn when it is worth asking for the task. Its events are
 * not used themselves: between a snapshot and the events after it agents lose or repeat some, while
 * the task they store is whole. Agents that are spoken to in 0.3 refuse to be followed (see
 * {@link AgentClient.subscribe}): those are only polled.
 */
export class UpdateBell {
  private readonly closed = new AbortController();
  private rung: 'no' | 'news' | 'end' = 'no';
  private sleeping: AbortController | undefined;

  constructor(
    private readonly run: RunContext,
    private readonly downstreamTaskId: string,
  ) {
    if (run.agent.card.capabilities?.streaming === true) void this.listen();
  }

  /** Resolves after `ms`, or earlier: at news (but not before `minMs`), or at a sign of the end. */
  async wait(ms: number, minMs: number): Promise<void> {
    const { clock } = this.run.deps;
    const start = clock.now().getTime();
    const end = start + ms;
    for (;;) {
      const until = this.rung === 'news' ? Math.min(end, start + minMs) : end;
      const left = until - clock.now().getTime();
      if (this.rung === 'end' || left <= 0 || this.run.signal.aborted) break;
      this.sleeping = new AbortController();
      await clock.sleep(left, AbortSignal.any([this.sleeping.signal, this.run.signal]));
    }
    this.rung = 'no';
  }

  close(): void {
    this.closed.abort(OVER);
  }

  private async listen(): Promise<void> {
    const { deps, agent, signal } = this.run;
    const until = AbortSignal.any([this.closed.signal, signal]);
    for (const pause of [0, ...RETRY_PAUSES_MS]) {
      await deps.clock.sleep(pause, until);
      if (until.aborted) return;
      try {
        const events = deps.client.subscribe(
          agent,
          this.downstreamTaskId,
          this.run.callOptions(until),
        );
        for await (const event of events) this.ring(isEnd(event) ? 'end' : 'news');
        this.ring('end');
      } catch (error) {
        const { kind } = error instanceof AgentCallError ? error : { kind: 'invalid' };
        if (kind !== 'interrupted' && kind !== 'unreachable') return;
      }
    }
  }

  private ring(how: 'news' | 'end'): void {
    if (this.rung === 'end') return;
    this.rung = how;
    this.sleeping?.abort(OVER);
  }
}

/** The task has ended or waits: what is to be learned is there now. */
function isEnd({ payload }: StreamResponse): boolean {
  if (payload?.$case !== 'statusUpdate' && payload?.$case !== 'task') return false;
  const state = payload.value.status?.state;
  return state !== undefined && (isTerminal(state) || isInterrupted(state));
}
