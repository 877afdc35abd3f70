import type { Agent } from '../../agents/index.js';
import type { AgentSkill } from '../../protocol/a2a.js';
import type { ExtensibleAgent } from './extensions.js';

/** What routing needs to know of an agent. */
export type RoutableAgent = Pick<Agent, 'id' | 'tags' | 'priority'> & {
  readonly card: Pick<Agent['card'], 'skills' | 'defaultInputModes' | 'defaultOutputModes'> &
    ExtensibleAgent['card'];
};

/** Tags are compared without regard to case and outer spaces. */
export function tagKey(tag: string): string {
  return tag.trim().toLowerCase();
}

const indexes = new WeakMap<readonly RoutableAgent[], AgentIndex>();

/**
 * The agents by id, skill and tag, so that a message costs what it matches and not what the registry
 * holds. Made once per list: the registry hands out the same one until something changes.
 */
export class AgentIndex {
  private readonly byId = new Map<string, RoutableAgent>();
  private readonly bySkill = new Map<string, RoutableAgent[]>();
  private readonly byTag = new Map<string, Set<RoutableAgent>>();

  static of(agents: readonly RoutableAgent[]): AgentIndex {
    const known = indexes.get(agents);
    if (known) return known;
    const index = new AgentIndex(agents);
    indexes.set(agents, index);
    return index;
  }

  private constructor(readonly agents: readonly RoutableAgent[]) {
    for (const agent of agents) {
      this.byId.set(agent.id, agent);
      agent.tags.forEach((tag) => this.addTag(tag, agent));
      for (const skill of agent.card.skills) {
        const sharing = this.bySkill.get(skill.id);
        if (!sharing) this.bySkill.set(skill.id, [agent]);
        else if (sharing.at(-1) !== agent) sharing.push(agent);
        skill.tags.forEach((tag) => this.addTag(tag, agent));
      }
    }
  }

  agent(id: string): RoutableAgent | undefined {
    return this.byId.get(id);
  }

  withSkill(skillId: string): readonly RoutableAgent[] {
    return this.bySkill.get(skillId) ?? [];
  }

  /** Agents that carry these tags somewhere: all of them (not always on one skill), or any. */
  withTags(tags: readonly string[], match: 'all' | 'any'): readonly RoutableAgent[] {
    const sets = tags.map((tag) => this.byTag.get(tagKey(tag)) ?? new Set<RoutableAgent>());
    if (match === 'any') return [...new Set(sets.flatMap((set) => [...set]))];
    const [smallest, ...others] = sets.sort((a, b) => a.size - b.size);
    return [...(smallest ?? [])].filter((agent) => others.every((set) => set.has(agent)));
  }

  private addTag(tag: string, agent: RoutableAgent): void {
    const key = tagKey(tag);
    const set = this.byTag.get(key);
    if (set) set.add(agent);
    else this.byTag.set(key, new Set([agent]));
  }
}

export function skillOf(agent: RoutableAgent, skillId: string): AgentSkill | undefined {
  return agent.card.skills.find((skill) => skill.id === skillId);
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
