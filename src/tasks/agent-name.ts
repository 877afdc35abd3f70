import type { Agent } from '../agents/index.js';

/** What people call an agent: its card's name, or else its id. */
export function agentName({ id, card }: Pick<Agent, 'id' | 'card'>): string {
  return card.name || id;
}

/** The names of agents by their ids, also of those that `agent` does not know (any more). */
export function namesBy(agent: (id: string) => Agent | undefined): (id: string) => string {
  return (id) => {
    const found = agent(id);
    return found ? agentName(found) : id;
  };
}
