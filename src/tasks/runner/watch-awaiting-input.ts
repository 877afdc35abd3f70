import { AgentCallError } from '../../agents/index.js';
import { withFirstOf } from '../../common/with-first-of.js';
import { endCodeOf, noteTrouble } from './agent-trouble.js';
import { CANCELLED } from './cancelled.js';
import { lostBy, MAX_UNUSABLE_ANSWERS } from './follow-task.js';
import type { RunContext } from './run-context.js';

/** The pause between two polls of an agent that waits for its client, in longest pauses of others. */
const PAUSE_FACTOR = 4;
const PAUSE_JITTER = 0.2;

/**
 * Polls a task that awaits the input of its client, at intervals and whenever the agent calls back, until it no
 * longer does or the run is done: an agent may continue, or give up, without an answer. A failed poll changes
 * nothing, for nothing is expected of the agent; but one that says {@link MAX_UNUSABLE_ANSWERS} times in a row that it does not
 * know the task has lost it, and no answer of the client would find it. `soon`: this run has not seen the question
 * itself, so the first poll comes within the longest pause of others.
 */
export async function watchAwaitingInput(run: RunContext, soon: boolean): Promise<void> {
  const { deps, agent, delegation } = run;
  const { minMs, maxMs } = run.pollPace;
  let called = new AbortController();
  const unsubscribe = deps.callbacks.listen(agent, delegation.id, () => called.abort(CANCELLED));
  let unknown = 0;
  try {
    for (let first = soon; run.awaitsInput && !run.signal.aborted; first = false) {
      const jitter = deps.ids.jitter();
      const pauseMs = first
        ? maxMs * jitter
        : maxMs * PAUSE_FACTOR * (1 + PAUSE_JITTER * (2 * jitter - 1));
      await withFirstOf([run.signal, called.signal], (woken) => deps.clock.sleep(pauseMs, woken));
      called = new AbortController();
      if (!run.awaitsInput || run.signal.aborted) return;
      const failure = await poll(run);
      unknown = failure?.kind === 'not-found' ? unknown + 1 : 0;
      if (failure !== undefined && unknown >= MAX_UNUSABLE_ANSWERS) return await lose(run, failure);
      await run.calls.sleep(minMs);
    }
  } finally {
    unsubscribe();
  }
}

/** Takes what is new of the task; the failure when the agent could not be asked for it. */
async function poll(run: RunContext): Promise<AgentCallError | undefined> {
  const { deps, agent, budgets, downstreamTaskId } = run;
  // There is no task to poll, but the delegation stays claimed until it is answered.
  if (downstreamTaskId === null) return undefined;
  try {
    const task = await run.calls.within(budgets.firstEventMs, (options) =>
      deps.client.getTask(agent, downstreamTaskId, options),
    );
    if (run.awaitsInput) await run.takeTask(task);
  } catch (error) {
    if (error instanceof AgentCallError) return error;
    throw error;
  }
  return undefined;
}

function lose(run: RunContext, failure: AgentCallError): Promise<void> {
  noteTrouble(run, failure);
  return run.failAwaiting({ reason: lostBy(run.agentName), code: endCodeOf(failure, true) });
}
