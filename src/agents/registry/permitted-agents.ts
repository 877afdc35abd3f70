import type { Permits, PolicyResource } from '../../policies/index.js';
import type { Agent } from '../agent.js';

/** An agent as a caller may use it. */
export type UsableAgent = Agent & {
  /** It may be asked for these skills only, not by its name alone. */
  readonly bySkillOnly?: true;
};

/** What policies decide of agents: the agent itself, and each of its skills. */
export const PERMITTED_AGENTS: Permits<UsableAgent> = {
  resourcesOf: (agent) => [
    agentResource(agent),
    ...agent.card.skills.map((each) => skillResource(agent, each)),
  ],
  left(agent, mayAsk) {
    const { card, tags } = agent;
    const isOpen = mayAsk(agentResource(agent));
    const skills = card.skills.filter((skill) => mayAsk(skillResource(agent, skill)));
    if (isOpen) {
      return skills.length === card.skills.length ? agent : { ...agent, card: { ...card, skills } };
    }
    if (skills.length === 0) return undefined;
    // A tag of the agent is one of each of its skills; without them it has none.
    const tagged = skills.map((skill) => ({
      ...skill,
      tags: [...new Set([...skill.tags, ...tags])],
    }));
    return { ...agent, tags: [], card: { ...card, skills: tagged }, bySkillOnly: true };
  },
};

/** What policies are asked of one skill of an agent. */
export function skillResource(
  { id, tags: agentTags }: Pick<Agent, 'id' | 'tags'>,
  { id: skillId, tags }: Agent['card']['skills'][number],
): PolicyResource {
  return { agentId: id, agentTags, skillId, tags };
}

/** What policies are asked of an agent itself, with whatever it can do. */
export function agentResource({ id, tags }: Pick<Agent, 'id' | 'tags'>): PolicyResource {
  return { agentId: id, agentTags: tags, skillId: null, tags: [] };
}
