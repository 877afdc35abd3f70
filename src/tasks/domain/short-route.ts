import type { Task } from '../../protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import type { Plan } from '../../routing/index.js';
import type { Delegation } from '../task.js';
import { sameValue } from './equality.js';

/** What the short form of a route says of its agents: who has the task, in which steps when there are several. */
export function shortAgents(
  plan: Plan,
  delegations: readonly Pick<Delegation, 'agentId' | 'skillId' | 'step'>[],
): object[] {
  return delegations.map(({ agentId, skillId, step }) => ({
    agentId,
    ...(skillId !== null && { skillId }),
    ...(plan.length > 1 && { step: plan[step]?.name }),
  }));
}

/**
 * The short form of the route in a task's metadata, with the agents that have taken over; undefined
 * while it names the right ones.
 */
export function shortRouteNow(
  { metadata }: Task,
  plan: Plan,
  delegations: readonly Delegation[],
): Record<string, object> | undefined {
  if (!delegations.some(({ progress }) => progress.attempts)) return undefined;
  const short: unknown = metadata?.[ROUTING_EXTENSION_URI];
  if (typeof short !== 'object' || short === null || !('agents' in short)) return undefined;
  const agents = shortAgents(plan, delegations);
  if (sameValue(agents, short.agents)) return undefined;
  return { [ROUTING_EXTENSION_URI]: { ...short, agents } };
}
