import { AgentCallError, type Agent } from '../../agents/index.js';
import { EVERYTHING } from '../../auth/index.js';
import type { Message } from '../../protocol/a2a.js';
import { isAway } from '../cancel/agent-farewell.js';
import { FencedError } from '../task-log.js';
import type { ClaimedDelegation } from '../task-store.js';
import type { Delegation, DelegationPatch, TaskAggregate } from '../task.js';
import { messageToSend } from './outgoing-message.js';
import { findOwnTask } from './resolve-unknown.js';
import { RunContext } from './run-context.js';
import type { RunDeps } from './run-deps.js';

/** An agent that cannot be reached is told later, as often as this, and for so long after the end. */
const AGAIN_AFTER_MS = 15_000;
const GIVE_UP_AFTER_MS = 10 * 60 * 1000;

/**
 * Tells the agent of a delegation that has ended on the hub's word, and notes that it has been told. Until
 * then the delegation stays claimed, or is claimed again, whatever becomes of this process.
 * `downstreamTaskId`: the agent's task as far as the caller knows it beyond what is stored.
 */
export async function sayFarewell(
  deps: RunDeps,
  { id, taskId, epoch }: Pick<ClaimedDelegation, 'id' | 'taskId' | 'epoch'>,
  downstreamTaskId: string | null,
): Promise<void> {
  const aggregate = await deps.log.read(taskId, EVERYTHING);
  const delegation = aggregate?.delegations.find((each) => each.id === id);
  if (!aggregate || !delegation?.untold || delegation.epoch !== epoch) return;
  const told = await tell(deps, aggregate, delegation, downstreamTaskId);
  const now = deps.clock.now().getTime();
  const endedAt = delegation.progress.times?.endedAt ?? delegation.updatedAt.getTime();
  const again = !told && now - endedAt < GIVE_UP_AFTER_MS;
  const patch: DelegationPatch = again
    ? { id, owner: null, leaseUntil: new Date(now + AGAIN_AFTER_MS) }
    : { id, untold: false, owner: null, leaseUntil: null };
  try {
    await deps.log.update(
      taskId,
      () => ({ change: { events: [], delegations: [patch] }, result: undefined }),
      { delegationId: id, epoch },
    );
  } catch (error) {
    if (!(error instanceof FencedError)) throw error;
  }
}

/** False when the agent should be told again. */
async function tell(
  deps: RunDeps,
  aggregate: TaskAggregate,
  delegation: Delegation,
  known: string | null,
): Promise<boolean> {
  const agent = deps.agent(delegation.agentId);
  if (!agent) return true;
  const { message, sentWith } = await messageToSend(deps.log, aggregate, delegation);
  let downstreamTaskId = delegation.downstreamTaskId ?? known;
  try {
    downstreamTaskId ??= await find(deps, agent, aggregate, delegation, message);
  } catch (error) {
    if (!(error instanceof AgentCallError)) throw error;
    return !isAway(error);
  }
  return deps.farewell.tell({ ...delegation, downstreamTaskId }, aggregate.record, sentWith);
}

/** The agent may have begun a task without the hub having learned of it. */
async function find(
  deps: RunDeps,
  agent: Agent,
  aggregate: TaskAggregate,
  delegation: Delegation,
  message: Message,
): Promise<string | null> {
  const run = new RunContext(deps, agent, aggregate, delegation, true);
  const found = await run.within(run.budgets.cancelWaitMs, (options) =>
    findOwnTask(run, message, options),
  );
  return found?.id ?? null;
}
