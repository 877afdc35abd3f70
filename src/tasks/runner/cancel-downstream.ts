import { AgentCallError, type Agent } from '../../agents/index.js';
import { EVERYTHING } from '../../auth/index.js';
import { withFirstOf } from '../../common/with-first-of.js';
import type { Message } from '../../protocol/a2a.js';
import { agentOf } from '../domain/agent-of.js';
import { decideAbandonedCanceled } from '../domain/abandoned-tasks.js';
import { FencedError } from '../log/task-log.js';
import type { ClaimedDelegation } from '../store/claimed-task.js';
import type { Delegation, DelegationPatch, TaskAggregate } from '../task.js';
import { messageToSend } from './outgoing-message.js';
import { isMissed } from './is-transient.js';
import { findOwnTask } from './resolve-unknown.js';
import { RunContext } from './run-context.js';
import type { RunDeps } from './run-deps.js';
import { sendAbandonedCancels } from './cancel-abandoned.js';

/** A cancel that does not reach its agent is sent again at this interval, for so long after the end. */
const AGAIN_AFTER_MS = 15_000;
const GIVE_UP_AFTER_MS = 10 * 60 * 1000;

/**
 * Cancels the task of the agent of a delegation that was ended by the hub, and records that it has. Until then
 * the delegation stays claimed, or is claimed again, whatever becomes of this process; it is also claimed again
 * when no cancel permit of the agent is available. `downstreamTaskId`: the agent's task as far as the caller
 * knows it beyond what is stored.
 */
export async function cancelDownstream(
  deps: RunDeps,
  claim: Pick<ClaimedDelegation, 'id' | 'taskId' | 'epoch' | 'cancelPending'>,
  downstreamTaskId: string | null,
): Promise<void> {
  const { id, taskId, epoch } = claim;
  const aggregate = await deps.log.read(taskId, EVERYTHING);
  const delegation = aggregate?.delegations.find((each) => each.id === id);
  if (!aggregate || !delegation?.cancelPending || delegation.epoch !== epoch) return;
  const { agentId } = delegation;
  // Claimed for the cancel: its permit was acquired with the claim.
  if (claim.cancelPending) return attemptCancel(deps, aggregate, delegation, downstreamTaskId);
  if (!deps.cancelPermits.hasCapacity(agentId)) {
    return record(deps, delegation, { id, owner: null, leaseUntil: null });
  }
  deps.cancelPermits.acquire(agentId);
  try {
    await attemptCancel(deps, aggregate, delegation, downstreamTaskId);
  } finally {
    deps.cancelPermits.release(agentId);
  }
}

async function attemptCancel(
  deps: RunDeps,
  aggregate: TaskAggregate,
  delegation: Delegation,
  downstreamTaskId: string | null,
): Promise<void> {
  const { id } = delegation;
  const { isDone, abandoned } = await sendCancels(deps, aggregate, delegation, downstreamTaskId);
  const now = deps.clock.now().getTime();
  const endedAt = delegation.progress.times?.endedAt ?? delegation.updatedAt.getTime();
  // One that a stop has cut is for the next process, at once.
  const wasCut = deps.stop.signal.aborted;
  const again = !isDone && (wasCut || now - endedAt < GIVE_UP_AFTER_MS);
  const leaseUntil = new Date(wasCut ? now : now + AGAIN_AFTER_MS);
  const patch = again
    ? { owner: null, leaseUntil }
    : { cancelPending: false, owner: null, leaseUntil: null };
  await record(deps, delegation, { id, ...patch }, abandoned);
}

/** Does nothing when another process has claimed it. `abandoned`: the abandoned tasks that are canceled. */
async function record(
  { log }: RunDeps,
  { id, taskId, epoch }: Delegation,
  patch: DelegationPatch,
  abandoned: readonly string[] = [],
): Promise<void> {
  try {
    await log.update(
      taskId,
      (current) => {
        const { delegations = [] } = decideAbandonedCanceled(current, id, abandoned);
        const change = { events: [], delegations: [...delegations, patch] };
        return { change, result: undefined };
      },
      { delegationId: id, epoch },
    );
  } catch (error) {
    if (!(error instanceof FencedError)) throw error;
  }
}

/** The result of the cancels of one delegation. */
interface CancelResult {
  /** No cancel needs to be sent again. */
  readonly isDone: boolean;
  /** The abandoned tasks that are canceled. */
  readonly abandoned: readonly string[];
}

async function sendCancels(
  deps: RunDeps,
  aggregate: TaskAggregate,
  delegation: Delegation,
  known: string | null,
): Promise<CancelResult> {
  const agent = agentOf(deps.registry, delegation);
  if (!agent) return { isDone: true, abandoned: [] };
  const { message, sentWith } = await messageToSend(deps.log, aggregate, delegation);
  const abandoned = await sendAbandonedCancels(deps, aggregate.record, delegation, sentWith);
  const areAbandonedDone = abandoned.length === (delegation.progress.abandoned ?? []).length;
  if (isEndedByAgent(delegation)) return { isDone: areAbandonedDone, abandoned };
  let downstreamTaskId = delegation.downstreamTaskId ?? known;
  try {
    downstreamTaskId ??= await findDownstreamTask(deps, agent, aggregate, delegation, message);
  } catch (error) {
    if (!(error instanceof AgentCallError)) throw error;
    return { isDone: areAbandonedDone && !isMissed(error), abandoned };
  }
  const ended = { ...delegation, downstreamTaskId };
  const isSent = await deps.downstreamCancel.send(
    ended,
    aggregate.record,
    sentWith,
    deps.stop.signal,
  );
  return { isDone: areAbandonedDone && isSent, abandoned };
}

/** Only the agent itself ends a delegation so. */
function isEndedByAgent({ state }: Delegation): boolean {
  return state === 'completed' || state === 'rejected';
}

/** The agent may have begun a task without the hub having learned of it. */
async function findDownstreamTask(
  deps: RunDeps,
  agent: Agent,
  aggregate: TaskAggregate,
  delegation: Delegation,
  message: Message,
): Promise<string | null> {
  const run = new RunContext(deps, agent, aggregate, delegation, true);
  const found = await run.calls.within(run.budgets.cancelWaitMs, (options) =>
    withFirstOf([options.signal, deps.stop.signal], (signal) =>
      findOwnTask(run, message, { ...options, signal }),
    ),
  );
  return found?.id ?? null;
}
