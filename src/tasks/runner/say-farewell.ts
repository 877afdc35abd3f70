import { AgentCallError, type Agent } from '../../agents/index.js';
import { EVERYTHING } from '../../auth/index.js';
import type { Message } from '../../protocol/a2a.js';
import { decideLeftTold } from '../domain/left-tasks.js';
import { FencedError } from '../task-log.js';
import type { ClaimedDelegation } from '../task-store.js';
import type { Delegation, DelegationPatch, TaskAggregate } from '../task.js';
import { messageToSend } from './outgoing-message.js';
import { isAway } from './is-transient.js';
import { findOwnTask } from './resolve-unknown.js';
import { RunContext } from './run-context.js';
import type { RunDeps } from './run-deps.js';
import { toldOfLeft } from './tell-left.js';

/** An agent that cannot be reached is told later, as often as this, and for so long after the end. */
const AGAIN_AFTER_MS = 15_000;
const GIVE_UP_AFTER_MS = 10 * 60 * 1000;

/**
 * Tells the agent of a delegation that has ended on the hub's word, and notes that it has been told. Until
 * then the delegation stays claimed, or is claimed again, whatever becomes of this process; so it is as well
 * while the agent has as many others to be told of. `downstreamTaskId`: the agent's task as far as the caller
 * knows it beyond what is stored.
 */
export async function sayFarewell(
  deps: RunDeps,
  claim: Pick<ClaimedDelegation, 'id' | 'taskId' | 'epoch' | 'untold'>,
  downstreamTaskId: string | null,
): Promise<void> {
  const { id, taskId, epoch } = claim;
  const aggregate = await deps.log.read(taskId, EVERYTHING);
  const delegation = aggregate?.delegations.find((each) => each.id === id);
  if (!aggregate || !delegation?.untold || delegation.epoch !== epoch) return;
  const { agentId } = delegation;
  // Claimed for this: counted since.
  if (claim.untold) return tellOnce(deps, aggregate, delegation, downstreamTaskId);
  if (!deps.farewells.hasRoom(agentId)) {
    return note(deps, delegation, { id, owner: null, leaseUntil: null });
  }
  deps.farewells.enter(agentId);
  try {
    await tellOnce(deps, aggregate, delegation, downstreamTaskId);
  } finally {
    deps.farewells.leave(agentId);
  }
}

async function tellOnce(
  deps: RunDeps,
  aggregate: TaskAggregate,
  delegation: Delegation,
  downstreamTaskId: string | null,
): Promise<void> {
  const { id } = delegation;
  const { told, left } = await tell(deps, aggregate, delegation, downstreamTaskId);
  const now = deps.clock.now().getTime();
  const endedAt = delegation.progress.times?.endedAt ?? delegation.updatedAt.getTime();
  const again = !told && now - endedAt < GIVE_UP_AFTER_MS;
  const leaseUntil = new Date(now + AGAIN_AFTER_MS);
  const patch = again
    ? { owner: null, leaseUntil }
    : { untold: false, owner: null, leaseUntil: null };
  await note(deps, delegation, { id, ...patch }, left);
}

/** Nothing when somebody else has claimed it. `left`: what it has been told of beside its last task. */
async function note(
  { log }: RunDeps,
  { id, taskId, epoch }: Delegation,
  patch: DelegationPatch,
  left: readonly string[] = [],
): Promise<void> {
  try {
    await log.update(
      taskId,
      (current) => {
        const { delegations = [] } = decideLeftTold(current, id, left);
        const change = { events: [], delegations: [...delegations, patch] };
        return { change, result: undefined };
      },
      { delegationId: id, epoch },
    );
  } catch (error) {
    if (!(error instanceof FencedError)) throw error;
  }
}

/** What came of telling an agent. */
interface Told {
  /** Nothing needs to be told again. */
  readonly told: boolean;
  /** The tasks it had left of which it has been told. */
  readonly left: readonly string[];
}

async function tell(
  deps: RunDeps,
  aggregate: TaskAggregate,
  delegation: Delegation,
  known: string | null,
): Promise<Told> {
  const agent = deps.registry.known(delegation.agentId);
  if (!agent) return { told: true, left: [] };
  const { message, sentWith } = await messageToSend(deps.log, aggregate, delegation);
  const left = await toldOfLeft(deps, aggregate.record, delegation, sentWith);
  const isLeftTold = left.length === (delegation.progress.left ?? []).length;
  if (hasSaidSo(delegation)) return { told: isLeftTold, left };
  let downstreamTaskId = delegation.downstreamTaskId ?? known;
  try {
    downstreamTaskId ??= await find(deps, agent, aggregate, delegation, message);
  } catch (error) {
    if (!(error instanceof AgentCallError)) throw error;
    return { told: isLeftTold && !isAway(error), left };
  }
  const ended = { ...delegation, downstreamTaskId };
  const isTold = await deps.farewell.tell(ended, aggregate.record, sentWith);
  return { told: isLeftTold && isTold, left };
}

/** Only the agent itself ends a delegation so. */
function hasSaidSo({ state }: Delegation): boolean {
  return state === 'completed' || state === 'rejected';
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
