import { tagKey } from '../../common/tag-key.js';
import type { Permits, PolicyResource } from '../../policies/index.js';
import type { Agent } from '../agent.js';

/** An agent as a caller may use it: with the skills that it may ask for. */
export type UsableAgent = Agent & {
  /** It may be asked for these skills only, not by its name alone. */
  readonly bySkillOnly?: true;
  /** Policies keep others of its skills from the caller. */
  readonly isNarrowed?: true;
};

/** Whether policies permit a caller to ask an agent, or for a skill of it. */
export type MayAsk = (resource: PolicyResource) => boolean;

/**
 * What policies decide of agents: the agent itself, and each of its skills. Of an agent with skills of which none is
 * left nothing is, whatever they say of the agent itself.
 */
export const PERMITTED_AGENTS: Permits<UsableAgent> = {
  resourcesOf: (agent) => {
    const { agent: whole, skills } = resourcesOf(agent);
    return [whole, ...skills.values()];
  },
  left(agent, mayAsk) {
    const { card, tags } = agent;
    const isOpen = mayAsk(agentResource(agent));
    const skills = card.skills.filter((skill) => mayAsk(skillResource(agent, skill)));
    if (skills.length === 0) return isOpen && card.skills.length === 0 ? agent : undefined;
    const isNarrowed = skills.length < card.skills.length && { isNarrowed: true as const };
    if (isOpen) return isNarrowed ? { ...isNarrowed, ...agent, card: { ...card, skills } } : agent;
    // A tag of the agent is one of each of its skills; without them it has none.
    const tagged = skills.map((skill) => ({
      ...skill,
      tags: [...new Set([...skill.tags, ...tags])],
    }));
    return {
      ...{ bySkillOnly: true, ...isNarrowed },
      ...agent,
      tags: [],
      card: { ...card, skills: tagged },
    };
  },
};

/**
 * Whether a caller may ask an agent for this skill, as {@link PERMITTED_AGENTS} leaves it. Null, or a skill that it has
 * no more: for whatever it does.
 */
export function mayAskFor(agent: Agent, skillId: string | null, mayAsk: MayAsk): boolean {
  const { skills } = agent.card;
  const skill = skillId === null ? undefined : skills.find(({ id }) => id === skillId);
  if (skill !== undefined) return mayAsk(skillResource(agent, skill));
  if (!mayAsk(agentResource(agent))) return false;
  return skills.length === 0 || skills.some((each) => mayAsk(skillResource(agent, each)));
}

/** What a message asks of an agent that it names. */
export interface Requested {
  readonly skillId: string | null;
  /** Tags of a skill of it: all of them, or any. */
  readonly tags: readonly string[];
  readonly match: 'all' | 'any';
}

/** What of an agent policies keep from a caller who names it: the skills that are meant, else the agent or all its skills. */
export function keptFrom(agent: Agent, requested: Requested, mayAsk: MayAsk): PolicyResource[] {
  const { skills } = agent.card;
  const meant = meantOf(agent, requested);
  const whole = agentResource(agent);
  if (meant.length === 0 && !mayAsk(whole)) return [whole];
  const resources = (meant.length > 0 ? meant : skills).map((each) => skillResource(agent, each));
  return resources.some(mayAsk) ? [] : resources;
}

/** The skills that are named by id or tags. */
function meantOf({ card, tags: ofAgent }: Agent, { skillId, tags, match }: Requested): Skill[] {
  if (skillId === null && tags.length === 0) return [];
  const wanted = [...new Set(tags.map(tagKey))];
  const enough = match === 'all' ? wanted.length : Math.min(1, wanted.length);
  return card.skills.filter(({ id, tags: own }) => {
    const carried = new Set([...own, ...ofAgent].map(tagKey));
    const isCarried = wanted.filter((tag) => carried.has(tag)).length >= enough;
    return isCarried && (skillId === null || id === skillId);
  });
}

type Skill = Agent['card']['skills'][number];

interface Resources {
  readonly agent: PolicyResource;
  readonly skills: ReadonlyMap<Skill, PolicyResource>;
}

/** The same objects as long as an agent is the same, for what is remembered of them. */
const made = new WeakMap<Agent, Resources>();

/** What policies are asked of one skill of an agent. */
function skillResource(agent: Agent, skill: Skill): PolicyResource {
  return resourcesOf(agent).skills.get(skill) ?? resourceOfSkill(agent, skill);
}

/** What policies are asked of an agent itself, with whatever it can do. */
function agentResource(agent: Agent): PolicyResource {
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
