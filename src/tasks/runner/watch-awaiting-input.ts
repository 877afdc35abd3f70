import { AgentCallError } from '../../agents/index.js';
import { CANCELLED } from './cancelled.js';
import type { RunContext } from './run-context.js';

/** The pause between two polls of an agent that waits for its client, in longest pauses of others. */
const PAUSE_FACTOR = 4;
const PAUSE_JITTER = 0.2;

/**
 * Polls a task that awaits the input of its client, at intervals and whenever the agent calls back, until it no
 * longer does or the run is done: an agent may continue, or give up, without an answer. A failed poll changes
 * nothing, for nothing is expected of the agent. `soon`: this run has not seen the question itself, so the
 * first poll comes within the longest pause of others.
 */
export async function watchAwaitingInput(run: RunContext, soon: boolean): Promise<void> {
  const { deps, agent, delegation } = run;
  const { minMs, maxMs } = run.pollPace;
  let called = new AbortController();
  const unsubscribe = deps.callbacks.listen(agent, delegation.id, () => called.abort(CANCELLED));
  try {
    for (let first = soon; run.awaitsInput && !run.signal.aborted; first = false) {
      const jitter = deps.ids.jitter();
      const pauseMs = first
        ? maxMs * jitter
        : maxMs * PAUSE_FACTOR * (1 + PAUSE_JITTER * (2 * jitter - 1));
      await deps.clock.sleep(pauseMs, AbortSignal.any([run.signal, called.signal]));
      called = new AbortController();
      if (!(await poll(run))) return;
      await run.calls.sleep(minMs);
    }
  } finally {
    unsubscribe();
  }
}

/** False when there is nothing to poll (any more). */
async function poll(run: RunContext): Promise<boolean> {
  const { deps, agent, budgets, downstreamTaskId } = run;
  if (!run.awaitsInput || run.signal.aborted) return false;
  // There is no task to poll, but the delegation stays claimed until it is answered.
  if (downstreamTaskId === null) return true;
  try {
    const task = await run.calls.within(budgets.firstEventMs, (options) =>
      deps.client.getTask(agent, downstreamTaskId, options),
    );
    if (run.awaitsInput) await run.takeTask(task);
  } catch (error) {
    if (!(error instanceof AgentCallError)) throw error;
  }
  return true;
}
