import { AgentCallError } from '../../agents/index.js';
import type { Task } from '../../protocol/a2a.js';
import { isTerminal } from '../../protocol/task-state.js';
import { noteTrouble } from './agent-trouble.js';
import type { RunContext } from './run-context.js';

/**
 * Cancels the delegation with its agent and reports the truth: what the agent's task became if it
 * ended in time; else canceled at the hub, naming the agent. Takes at most the agent's cancel budget.
 *
 * Only an ended task is taken here: while a stream is open it may already be bringing the same events.
 */
export async function cancelAtAgent(run: RunContext): Promise<void> {
  const { deps, budgets, agentName } = run;
  if (!run.sent) return cancelHere(run, 'Canceled by the client.');
  const end = deps.clock.now().getTime() + budgets.cancelWaitMs;
  const left = (): number => end - deps.clock.now().getTime();
  const id = await run.knownId(budgets.cancelWaitMs);
  if (run.over || run.signal.aborted) return;
  const waited = `within ${Math.round(budgets.cancelWaitMs / 100) / 10} s`;
  if (id === null) {
    return cancelHere(run, `${agentName} gave no answer ${waited}; canceled at the hub.`);
  }
  const refusal = await cancel(run, id, left());
  for (let first = true; !run.over && !run.signal.aborted && left() > 0; first = false) {
    if (!first || refusal !== undefined) await look(run, id, left());
    if (run.over || refusal !== undefined) break;
    await run.sleep(Math.min(deps.settings.pollMinMs, left()));
  }
  if (run.over || run.signal.aborted) return;
  const why = refusal ?? `has not confirmed the cancel ${waited}`;
  await cancelHere(run, `${agentName} ${why}; canceled at the hub.`);
}

/** Why the agent has not canceled; undefined when it has taken the cancel. */
async function cancel(run: RunContext, id: string, maxMs: number): Promise<string | undefined> {
  const start = run.deps.clock.now().getTime();
  try {
    const task = await run.within(maxMs, (options) =>
      run.deps.client.cancel(run.agent, id, options),
    );
    await takeIfEnded(run, task);
    return undefined;
  } catch (error) {
    if (!(error instanceof AgentCallError)) throw error;
    if (run.deps.clock.now().getTime() - start >= maxMs) return undefined;
    noteTrouble(run, error);
    return `did not take the cancel: it ${error.publicMessage}`;
  }
}

async function look(run: RunContext, id: string, maxMs: number): Promise<void> {
  try {
    const task = await run.within(maxMs, (options) =>
      run.deps.client.getTask(run.agent, id, options),
    );
    await takeIfEnded(run, task);
  } catch (error) {
    if (!(error instanceof AgentCallError)) throw error;
  }
}

async function takeIfEnded(run: RunContext, task: Task): Promise<void> {
  if (!run.over && task.status && isTerminal(task.status.state)) await run.takeTask(task);
  if (run.over) run.close();
}

async function cancelHere(run: RunContext, reason: string): Promise<void> {
  await run.end({ state: 'canceled', reason });
  run.close();
}
