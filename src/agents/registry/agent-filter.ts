import type { Agent } from '../agent.js';
import type { AgentFilter } from './agent-store.js';

/** Whether an agent passes every part of the filter. */
export function matchesFilter(agent: Agent, filter: AgentFilter): boolean {
  const { card, organizations } = agent;
  const { soleOrganization: sole, ids } = filter;
  if (ids !== undefined && !ids.has(agent.id)) return false;
  if (sole !== undefined && !(organizations?.length === 1 && organizations[0] === sole)) {
    return false;
  }
  if (filter.enabled !== undefined && agent.enabled !== filter.enabled) return false;
  if (filter.skill !== undefined && !card.skills.some((skill) => skill.id === filter.skill)) {
    return false;
  }
  if (filter.tag !== undefined) {
    const wanted = filter.tag.toLowerCase();
    const tags = [...agent.tags, ...card.skills.flatMap((skill) => skill.tags)];
    if (!tags.some((tag) => tag.toLowerCase() === wanted)) return false;
  }
  if (filter.text !== undefined) {
    const wanted = filter.text.toLowerCase();
    const texts = [
      agent.id,
      card.name,
      card.description,
      ...card.skills.map((skill) => skill.name),
    ];
    if (!texts.some((text) => text.toLowerCase().includes(wanted))) return false;
  }
  return true;
}
