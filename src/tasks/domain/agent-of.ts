import type { Agent, AgentRegistry } from '../../agents/index.js';
import type { Delegation } from '../task.js';

/** What says which agent a delegation is with. */
type Placed = Pick<Delegation, 'agentId' | 'agentSince' | 'createdAt' | 'progress'>;

/**
 * The agent that a delegation is with, also when it was deleted and another one has its id by now; undefined when it is not
 * known any more. Where it is not known which it was, it is the one that had the id when it took the message, or was chosen.
 */
export function agentOf(
  registry: Pick<AgentRegistry, 'registeredAt' | 'knownAt'>,
  { agentId, agentSince, createdAt, progress: { times, attempts } }: Placed,
): Agent | undefined {
  if (agentSince !== null) return registry.registeredAt(agentId, agentSince);
  const at = times?.answeredAt ?? attempts?.at(-1)?.endedAt;
  return registry.knownAt(agentId, at === undefined ? createdAt : new Date(at));
}
