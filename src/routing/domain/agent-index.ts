import type { TagMatch } from '../../protocol/routing-extension.js';
import { tagKey } from '../../common/tag-key.js';
import type { Agent } from '../../agents/index.js';
import type { AgentSkill } from '../../protocol/a2a.js';
import type { ExtensibleAgent } from './extensions.js';
import { COMPOSITE_AGENT_ID, type CompositeSkill } from './composite-skill.js';

/** What routing needs to know of an agent. */
export type RoutableAgent = Pick<Agent, 'id' | 'tags' | 'priority'> & {
  /** This caller may ask it for its skills only, not by its name alone. */
  readonly bySkillOnly?: true;
  /** Policies keep others of its skills from this caller. */
  readonly isNarrowed?: true;
  /** Its share of the work among equals; default 1. */
  readonly weight?: number;
  readonly card: Pick<Agent['card'], 'skills' | 'defaultInputModes' | 'defaultOutputModes'> &
    ExtensibleAgent['card'];
};

/** A skill and who has it. */
export interface Offer {
  readonly agent: RoutableAgent;
  readonly skill: AgentSkill;
}

const NO_COMPOSITES: readonly CompositeSkill[] = [];
const indexes = new WeakMap<
  readonly RoutableAgent[],
  WeakMap<readonly CompositeSkill[], AgentIndex>
>();

/**
 * The agents by id, skill and tag, so that a message costs what it matches and not what the registry
 * holds. Made once per lists: the registry hands out the same one until something changes, and making
 * it anew for 1,000 agents takes less than a millisecond, far less than reading them again did. Composite
 * skills are found as the skills of an agent of their own, {@link COMPOSITE_AGENT_ID}.
 */
export class AgentIndex {
  private readonly byId = new Map<string, RoutableAgent>();
  private readonly bySkill = new Map<string, RoutableAgent[]>();
  private readonly byTag = new Map<string, Set<RoutableAgent>>();
  private readonly compositesById: ReadonlyMap<string, CompositeSkill>;
  /** The agents, then the one that stands for the composite skills, if there are any. */
  readonly providers: readonly RoutableAgent[];

  static of(
    agents: readonly RoutableAgent[],
    composites: readonly CompositeSkill[] = NO_COMPOSITES,
  ): AgentIndex {
    let ofAgents = indexes.get(agents);
    if (!ofAgents) indexes.set(agents, (ofAgents = new WeakMap()));
    const known = ofAgents.get(composites);
    if (known) return known;
    const index = new AgentIndex(agents, composites);
    ofAgents.set(composites, index);
    return index;
  }

  private constructor(agents: readonly RoutableAgent[], composites: readonly CompositeSkill[]) {
    this.compositesById = new Map(composites.map((each) => [each.skill.id, each]));
    this.providers = composites.length === 0 ? agents : [...agents, providerOf(composites)];
    for (const agent of this.providers) {
      this.byId.set(agent.id, agent);
      agent.tags.forEach((tag) => this.addTag(tag, agent));
      for (const skill of agent.card.skills) {
        this.addSkill(skill.id, agent);
        skill.tags.forEach((tag) => this.addTag(tag, agent));
      }
    }
  }

  /** The agent of this id; composite skills are none. */
  agent(id: string): RoutableAgent | undefined {
    return id === COMPOSITE_AGENT_ID ? undefined : this.byId.get(id);
  }

  /** The same, where it may be asked for whatever it can do. */
  wholeAgent(id: string): RoutableAgent | undefined {
    const agent = this.agent(id);
    return agent?.bySkillOnly === true ? undefined : agent;
  }

  /** Who has skills under this id in the hub's card: an agent, or the composite skills. */
  provider(id: string): RoutableAgent | undefined {
    return this.byId.get(id);
  }

  composite(id: string): CompositeSkill | undefined {
    return this.compositesById.get(id);
  }

  /** Who has a skill of this id; a composite skill is asked for by its id in the hub's card alone. */
  withSkill(skillId: string): readonly RoutableAgent[] {
    return this.bySkill.get(skillId) ?? [];
  }

  /**
   * Who offers a skill, and which it is: the one of the hub's form `agentId.skillId` (or `composite.<id>`),
   * else all that share the id.
   */
  offers(id: string): readonly Offer[] {
    const split = splitSkillId(id);
    const provider = split && this.provider(split.agentId);
    const skill = provider && skillOf(provider, split.skillId);
    if (provider && skill) return [{ agent: provider, skill }];
    return this.withSkill(id).flatMap((agent) => {
      const shared = skillOf(agent, id);
      return shared ? [{ agent, skill: shared }] : [];
    });
  }

  /** Agents that carry these tags somewhere: all of them (not always on one skill), or any. */
  withTags(tags: readonly string[], match: TagMatch): readonly RoutableAgent[] {
    const sets = tags.map((tag) => this.withTag(tag));
    if (match === 'any') return [...new Set(sets.flatMap((set) => [...set]))];
    const [smallest, ...others] = sets.sort((a, b) => a.size - b.size);
    return [...(smallest ?? [])].filter((agent) => others.every((set) => set.has(agent)));
  }

  /** Agents that carry this tag somewhere. */
  withTag(tag: string): ReadonlySet<RoutableAgent> {
    return this.byTag.get(tagKey(tag)) ?? new Set();
  }

  private addSkill(skillId: string, agent: RoutableAgent): void {
    if (agent.id === COMPOSITE_AGENT_ID) return;
    const sharing = this.bySkill.get(skillId);
    if (!sharing) this.bySkill.set(skillId, [agent]);
    else if (sharing.at(-1) !== agent) sharing.push(agent);
  }

  private addTag(tag: string, agent: RoutableAgent): void {
    const key = tagKey(tag);
    const set = this.byTag.get(key);
    if (set) set.add(agent);
    else this.byTag.set(key, new Set([agent]));
  }
}

function providerOf(composites: readonly CompositeSkill[]): RoutableAgent {
  const skills = composites.map(({ skill }) => skill);
  const card = { skills, defaultInputModes: [], defaultOutputModes: [], capabilities: undefined };
  return { id: COMPOSITE_AGENT_ID, tags: [], priority: 0, card };
}

/** Above this many skills of a card they are found by id in a map. */
const MAP_FROM = 16;
const skillsById = new WeakMap<readonly AgentSkill[], ReadonlyMap<string, AgentSkill>>();

export function skillOf({ card: { skills } }: RoutableAgent, id: string): AgentSkill | undefined {
  if (skills.length < MAP_FROM) return skills.find((skill) => skill.id === id);
  let byId = skillsById.get(skills);
  if (byId === undefined) {
    // The first of an id, as the search finds it.
    byId = new Map(skills.toReversed().map((skill) => [skill.id, skill]));
    skillsById.set(skills, byId);
  }
  return byId.get(id);
}

/** The skill that is meant of this agent: by its id in the hub's card, else by the agent's own. */
export function skillOfEitherId(agent: RoutableAgent, id: string): AgentSkill | undefined {
  const split = splitSkillId(id);
  const inCard = split?.agentId === agent.id ? skillOf(agent, split.skillId) : undefined;
  return inCard ?? skillOf(agent, id);
}

/**
 * A skill id of the hub's card, `agentId.skillId`, split at its first dot (agent ids have none);
 * undefined for an id without one.
 */
export function splitSkillId(id: string): { agentId: string; skillId: string } | undefined {
  const dot = id.indexOf('.');
  return dot < 1 || dot === id.length - 1
    ? undefined
    : { agentId: id.slice(0, dot), skillId: id.slice(dot + 1) };
}

/** The id of an agent's skill in the hub's card. */
export function hubSkillId(agentId: string, skillId: string): string {
  return `${agentId}.${skillId}`;
}
