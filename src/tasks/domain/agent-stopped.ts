import type { TaskAggregate, TaskChange } from '../task.js';
import { decideFailover, decideOutcome } from './delegation-decisions.js';
import { hasAccepted } from './delegation-state.js';
import type { Why } from './end-delegation.js';

/**
 * The operator has stopped the agent of this delegation: it ends canceled, with that reason. One whose
 * message has not been sent fails over to the next agent of its route, if there is one. `nameOf` tells an agent's
 * name by its id.
 */
export function decideAgentStopped(
  aggregate: TaskAggregate,
  delegationId: string,
  now: Date,
  nameOf: (agentId: string) => string,
): TaskChange {
  const delegation = aggregate.delegations.find(({ id }) => id === delegationId);
  const why: Why = {
    reason: `The operator has stopped ${delegation?.agentName}.`,
    code: 'AGENT_KILLED',
  };
  const movesOn =
    delegation?.state === 'queued' && !hasAccepted(delegation) && delegation.fallbacks.length > 0;
  return movesOn
    ? decideFailover(aggregate, delegationId, why, now, nameOf, false)
    : decideOutcome(aggregate, delegationId, { state: 'canceled', ...why }, now);
}
