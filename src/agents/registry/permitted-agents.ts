import type { Permits, PolicyResource } from '../../policies/index.js';
import type { Agent } from '../agent.js';

/** An agent as a caller may use it. */
export type UsableAgent = Agent & {
  /** It may be asked for these skills only, not by its name alone. */
  readonly bySkillOnly?: true;
};

/** What policies decide of agents: the agent itself, and each of its skills. */
export const PERMITTED_AGENTS: Permits<UsableAgent> = {
  resourcesOf: (agent) => {
    const { agent: whole, skills } = resourcesOf(agent);
    return [whole, ...skills.values()];
  },
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

type Skill = Agent['card']['skills'][number];

interface Resources {
  readonly agent: PolicyResource;
  readonly skills: ReadonlyMap<Skill, PolicyResource>;
}

/** The same objects as long as an agent is the same, for what is remembered of them. */
const made = new WeakMap<Agent, Resources>();

/** What policies are asked of one skill of an agent. */
export function skillResource(agent: Agent, skill: Skill): PolicyResource {
  return resourcesOf(agent).skills.get(skill) ?? resourceOfSkill(agent, skill);
}

/** What policies are asked of an agent itself, with whatever it can do. */
export function agentResource(agent: Agent): PolicyResource {
  return resourcesOf(agent).agent;
}

function resourcesOf(agent: Agent): Resources {
  let resources = made.get(agent);
  if (resources === undefined) {
    const { id: agentId, tags: agentTags, card } = agent;
    resources = {
      agent: { agentId, agentTags, skillId: null, tags: [] },
      skills: new Map(card.skills.map((skill) => [skill, resourceOfSkill(agent, skill)])),
    };
    made.set(agent, resources);
  }
  return resources;
}

function resourceOfSkill(
  { id, tags: agentTags }: Agent,
  { id: skillId, tags }: Skill,
): PolicyResource {
  return { agentId: id, agentTags, skillId, tags };
}
