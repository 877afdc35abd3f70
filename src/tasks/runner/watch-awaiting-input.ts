import { AgentCallError } from '../../agents/index.js';
import { CANCELLED } from './cancelled.js';
import type { RunContext } from './run-context.js';

/** The pause between two looks at an agent that waits for its client, in longest pauses of others. */
const PAUSE_FACTOR = 4;
const PAUSE_JITTER = 0.2;

/**
 * Looks now and then, and whenever the agent calls back, at a task whose agent has asked its client
 * something, until it is no longer so or the run is over: an agent may go on, or give up, without an
 * answer. What goes wrong with a look changes nothing, for nothing is expected of the agent. `soon`: this
 * run has not seen the agent ask, so the first look comes within the longest pause of others.
 */
export async function watchAwaitingInput(run: RunContext, soon: boolean): Promise<void> {
  const { deps, agent, delegation } = run;
  const { minMs, maxMs } = run.pollPace;
  let called = new AbortController();
  const leave = deps.callbacks.listen(agent, delegation.id, () => called.abort(CANCELLED));
  try {
    for (let first = soon; run.awaitsInput && !run.signal.aborted; first = false) {
      const chance = deps.ids.jitter();
      const pauseMs = first
        ? maxMs * chance
        : maxMs * PAUSE_FACTOR * (1 + PAUSE_JITTER * (2 * chance - 1));
      await deps.clock.sleep(pauseMs, AbortSignal.any([run.signal, called.signal]));
      called = new AbortController();
      if (!(await look(run))) return;
      await run.calls.sleep(minMs);
    }
  } finally {
    leave();
  }
}

/** False when there is nothing to look at (any more). */
async function look(run: RunContext): Promise<boolean> {
  const { deps, agent, budgets, downstreamTaskId } = run;
  if (!run.awaitsInput || run.signal.aborted) return false;
  // There is no task to look at, but whoever answers it is to find it claimed.
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
