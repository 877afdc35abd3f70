import { canStream } from '../../agents/index.js';
import { withFirstOf } from '../../common/with-first-of.js';
import { isInterrupted, isTerminal } from '../../protocol/task-state.js';
import type { StreamResponse } from '../../protocol/a2a.js';
import { isTransient } from './is-transient.js';
import type { RunContext } from './run-context.js';
import { CANCELLED } from './cancelled.js';

/** Pauses before a broken subscription is tried again; after the last one the task is only polled. */
const RETRY_PAUSES_MS = [1000, 2000, 4000] as const;

/** What has come: nothing, an event, a callback, or a sign that the task has ended or waits. */
type Sign = 'nothing' | 'event' | 'call' | 'end';

/**
 * Waits until it is worth polling an agent for its task: by the stream of the task, or the agent's callbacks.
 * Events are not used themselves: between a snapshot and the events after it agents lose or repeat some, while
 * the task they store is complete; and the content of a callback is not trusted. Agents of version 0.3 cannot
 * be subscribed to (see {@link AgentClient.subscribe}): those are only polled, unless they call back.
 */
export class AgentUpdateWaiter {
  private readonly closed = new AbortController();
  private readonly unsubscribe: () => void;
  private sign: Sign = 'nothing';
  private lastCallAt = -Infinity;
  private sleeping: AbortController | undefined;

  constructor(
    private readonly run: RunContext,
    private readonly downstreamTaskId: string,
  ) {
    const { agent, deps, delegation } = run;
    this.unsubscribe = deps.callbacks.listen(agent, delegation.id, () => this.notify('call'));
    run.polls = !canStream(agent);
    if (!run.polls) {
      const ended = new AbortController();
      const until = [this.closed.signal, run.signal, ended.signal];
      const following = withFirstOf(until, (signal) => this.followStream(signal, ended));
      void following.then(() => (run.polls = !this.closed.signal.aborted));
    }
  }

  /**
   * Resolves after `ms`, or earlier: at an event (but not before `minMs`), at a callback (but not within
   * `minMs` of the last one), or at a sign of the end. Whether there was any sign.
   */
  async wait(ms: number, minMs: number): Promise<boolean> {
    const { clock } = this.run.deps;
    const start = clock.monotonicMs();
    for (;;) {
      const left = this.dueAt(start, ms, minMs) - clock.monotonicMs();
      if (left <= 0 || this.run.signal.aborted) break;
      this.sleeping = new AbortController();
      await withFirstOf([this.sleeping.signal, this.run.signal], (woken) =>
        clock.sleep(left, woken),
      );
    }
    if (this.sign === 'call') this.lastCallAt = clock.monotonicMs();
    const anySign = this.sign !== 'nothing';
    this.sign = 'nothing';
    return anySign;
  }

  close(): void {
    this.run.polls = false;
    this.unsubscribe();
    this.closed.abort(CANCELLED);
  }

  private dueAt(start: number, ms: number, minMs: number): number {
    switch (this.sign) {
      case 'nothing':
        return start + ms;
      case 'event':
        return start + Math.min(ms, minMs);
      case 'call':
        return Math.min(start + ms, this.lastCallAt + minMs);
      case 'end':
        return start;
    }
  }

  /** `until` aborts with `ended` as well. */
  private async followStream(until: AbortSignal, ended: AbortController): Promise<void> {
    const { deps } = this.run;
    for (const pause of [0, ...RETRY_PAUSES_MS]) {
      await deps.clock.sleep(pause, until);
      if (until.aborted) return;
      const closed = this.run.streamOpened(() => ended.abort(CANCELLED));
      try {
        const events = deps.client.subscribe(
          this.run.agent,
          this.downstreamTaskId,
          this.run.callOptions(until),
        );
        for await (const event of events) this.notify(isEnd(event) ? 'end' : 'event');
        this.notify('end');
      } catch (error) {
        if (!isTransient(error)) return;
      } finally {
        closed();
      }
    }
  }

  private notify(sign: Sign): void {
    if (this.sign === 'end' || (this.sign === 'call' && sign === 'event')) return;
    this.sign = sign;
    this.sleeping?.abort(CANCELLED);
  }
}

/** The task has ended or waits: what is to be learned is there now. */
function isEnd({ payload }: StreamResponse): boolean {
  if (payload?.$case !== 'statusUpdate' && payload?.$case !== 'task') return false;
  const state = payload.value.status?.state;
  return state !== undefined && (isTerminal(state) || isInterrupted(state));
}
