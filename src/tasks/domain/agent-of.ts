import type { Agent, AgentRegistry } from '../../agents/index.js';
import type { Delegation } from '../task.js';

/** What says when a delegation was with its agent. */
type Placed = Pick<Delegation, 'agentId' | 'createdAt' | 'progress'>;

/**
 * The agent that a delegation is with, also when it was deleted and another one has its id by now; undefined when it is not
 * known any more. One that has not taken the message yet is with the agent that had the id when it was chosen.
 */
export function agentOf(
  registry: Pick<AgentRegistry, 'knownAt'>,
  { agentId, createdAt, progress: { times, attempts } }: Placed,
): Agent | undefined {
  const at = times?.answeredAt ?? attempts?.at(-1)?.endedAt;
  return registry.knownAt(agentId, at === undefined ? createdAt : new Date(at));
}
