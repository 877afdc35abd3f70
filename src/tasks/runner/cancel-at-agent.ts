import { AgentCallError } from '../../agents/index.js';
import { timeLeft } from '../../common/time-left.js';
import { TaskState, type Task } from '../../protocol/a2a.js';
import { isTerminal } from '../../protocol/task-state.js';
import { cancelOf } from '../domain/operator-actions.js';
import { withoutHubKeys } from '../domain/own-ids.js';
import { seconds } from '../domain/wording.js';
import { noteTrouble } from './agent-trouble.js';
import { isMissed } from './is-transient.js';
import { messageOf } from './outgoing-message.js';
import { findOwnTask } from './resolve-unknown.js';
import type { RunContext } from './run-context.js';

/**
 * Cancels the delegation with its agent and commits the result: the end of the agent's task if it ended in
 * time; else canceled at the hub, naming the agent. Takes at most the agent's cancel budget.
 *
 * Only an ended task is taken here: an open stream may already bring the same events.
 */
export async function cancelAtAgent(run: RunContext): Promise<void> {
  const { deps, budgets, agentName } = run;
  run.canceling = true;
  run.flush();
  if (!run.sent && run.downstreamTaskId === null)
    return cancelHere(run, cancelOf(run.cancelMetadata).reason);
  const left = timeLeft(deps.clock, budgets.cancelWaitMs);
  const waited = `within ${seconds(budgets.cancelWaitMs)}`;
  const id = await taskIdOf(run);
  if (run.done || run.signal.aborted) return;
  if (id === null) {
    return cancelHere(run, `${agentName} gave no answer; canceled at the hub.`, false);
  }
  const { refusal, answered, missed } = run.inFlight
    ? await cancelInFlight(run, id, left)
    : { ...(await cancel(run, id, left())), answered: true };
  for (let first = true; !run.done && !run.signal.aborted && left() > 0; first = false) {
    if (!first || refusal !== undefined) await poll(run, left());
    if (run.done || refusal !== undefined) break;
    await run.calls.sleep(Math.min(run.pollPace.minMs, left()));
  }
  if (run.done || run.signal.aborted) return;
  const why = refusal ?? `has not confirmed the cancel ${waited}`;
  const notified = answered && !missed && !run.inFlight;
  await cancelHere(run, `${agentName} ${why}; canceled at the hub.`, notified);
}

/** The answer of an agent to a cancel. */
interface CancelAnswer {
  /** Why it has not canceled; undefined when it has accepted the cancel, or not answered in time. */
  readonly refusal: string | undefined;
  /** It has answered in time. */
  readonly answered: boolean;
  /** It was not reached, or is busy: it gets the cancel again. */
  readonly missed: boolean;
}

/** The id of the agent's task: known, about to be, or found by the message, which another process may have sent. */
async function taskIdOf(run: RunContext): Promise<string | null> {
  const { budgets, downstreamTaskId } = run;
  if (downstreamTaskId !== null || run.inFlight) return run.awaitTaskId(budgets.cancelWaitMs);
  const message = await messageOf(run);
  try {
    const found = await run.calls.within(budgets.cancelWaitMs, (options) =>
      findOwnTask(run, message, options),
    );
    return found?.id ?? null;
  } catch (error) {
    if (!(error instanceof AgentCallError)) throw error;
    return null;
  }
}

/**
 * A further message is in flight while the task is canceled, and the agent may get them in either order: what
 * the message has begun again, or in another task, is canceled as well. No end is taken before that is known.
 */
async function cancelInFlight(
  run: RunContext,
  id: string,
  left: () => number,
): Promise<CancelAnswer> {
  const [first] = await Promise.all([tryCancel(run, id, left()), run.untilAnswered(left() / 2)]);
  if (run.done || run.signal.aborted) return first;
  const now = run.downstreamTaskId ?? id;
  const [task] = await attempt(run, left(), (options) =>
    run.deps.client.getTask(run.agent, now, options),
  );
  if (task?.status && isTerminal(task.status.state)) {
    await takeIfEnded(run, task);
    return first;
  }
  return cancel(run, now, left());
}

async function cancel(run: RunContext, id: string, maxMs: number): Promise<CancelAnswer> {
  const answer = await tryCancel(run, id, maxMs);
  if (answer.task) await takeIfEnded(run, answer.task);
  return answer;
}

async function tryCancel(
  run: RunContext,
  id: string,
  maxMs: number,
): Promise<CancelAnswer & { readonly task: Task | undefined }> {
  const start = run.deps.clock.monotonicMs();
  const [task, error] = await attempt(run, maxMs, (options) =>
    run.deps.client.cancel(run.agent, id, options, withoutHubKeys(run.cancelMetadata ?? undefined)),
  );
  if (error === undefined) return { task, refusal: undefined, answered: true, missed: false };
  if (run.deps.clock.monotonicMs() - start >= maxMs) {
    return { task, refusal: undefined, answered: false, missed: false };
  }
  noteTrouble(run, error);
  const refusal = `did not take the cancel: it ${error.publicMessage}`;
  return { task, refusal, answered: true, missed: isMissed(error) };
}

async function poll(run: RunContext, maxMs: number): Promise<void> {
  const id = run.downstreamTaskId;
  if (id === null) return;
  const [task] = await attempt(run, maxMs, (options) =>
    run.deps.client.getTask(run.agent, id, options),
  );
  if (task) await takeIfEnded(run, task);
}

/** A call within `maxMs`: its result, or its error. */
async function attempt(
  run: RunContext,
  maxMs: number,
  call: Parameters<typeof run.calls.within<Task>>[1],
): Promise<[task: Task, error: undefined] | [task: undefined, error: AgentCallError]> {
  try {
    return [await run.calls.within(maxMs, call), undefined];
  } catch (error) {
    if (!(error instanceof AgentCallError)) throw error;
    return [undefined, error];
  }
}

async function takeIfEnded(run: RunContext, task: Task): Promise<void> {
  const state = task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
  if (!run.done && isTerminal(state)) {
    const isCanceled = state === TaskState.TASK_STATE_CANCELED;
    if (isCanceled && run.inFlight) return cancelHere(run, cancelOf(run.cancelMetadata).reason);
    await run.takeTask(task);
  }
  if (run.done) run.close();
}

/**
 * Ends the delegation by decision of the hub. A message that is still in flight may begin another task, or
 * continue the canceled one: its agent gets another cancel when the message has been delivered.
 */
async function cancelHere(
  run: RunContext,
  reason: string,
  agentNotified = !run.inFlight,
): Promise<void> {
  const { code } = cancelOf(run.cancelMetadata);
  await run.end({ state: 'canceled', reason, code }, agentNotified);
  if (!agentNotified) await run.untilDelivered(run.budgets.cancelWaitMs);
  run.close();
}
