import type { Agent, AgentRegistry } from '../../agents/index.js';

/** What people call an agent: its card's name, or else its id. */
export function agentName({ id, card }: Pick<Agent, 'id' | 'card'>): string {
  return card.name || id;
}

/** The names of agents by their ids, also of those that the registry does not know (any more). */
export function namesBy(registry: Pick<AgentRegistry, 'known'>): (id: string) => string {
  return (id) => {
    const found = registry.known(id);
    return found ? agentName(found) : id;
  };
}
