import { AgentCallError } from '../../agents/index.js';
import type { RunContext } from './run-context.js';

/** The pause between two looks at an agent that waits for its client, in longest pauses of others. */
const PAUSE_FACTOR = 4;
const PAUSE_JITTER = 0.2;

/**
 * Looks now and then at a task whose agent has asked its client something, until it is no longer so
 * or the run is over: an agent may go on, or give up, without an answer. What goes wrong with a look
 * changes nothing, for nothing is expected of the agent.
 */
export async function watchAsked(run: RunContext): Promise<void> {
  const { deps, agent, budgets, downstreamTaskId } = run;
  const pauseMs = deps.settings.pollMaxMs * PAUSE_FACTOR;
  while (run.asked && !run.signal.aborted) {
    await run.sleep(pauseMs * (1 + PAUSE_JITTER * (2 * deps.ids.jitter() - 1)));
    if (!run.asked || run.signal.aborted || downstreamTaskId === null) return;
    try {
      const task = await run.within(budgets.firstEventMs, (options) =>
        deps.client.getTask(agent, downstreamTaskId, options),
      );
      if (run.asked) await run.takeTask(task);
    } catch (error) {
      if (!(error instanceof AgentCallError)) throw error;
    }
  }
}
