import type { Exclusion } from '../../agents/index.js';
import type { RoutingTarget } from '../../protocol/routing-extension.js';
import { AgentIndex, type RoutableAgent, skillOf, skillOfEitherId } from './agent-index.js';
import type { Candidate } from './candidate.js';
import { tagMatch } from './match.js';

/** The agents of the hub, whoever may use them. */
export interface Registered {
  /** The same list until something changes; the list of what a caller may use where that is everything. */
  readonly agents: readonly RoutableAgent[];
  /** Why the caller may not use an agent, or a skill of it; undefined where it may. */
  readonly whyNot: (agentId: string, skillId: string | undefined) => Exclusion | undefined;
}

/** Agents that a route, or a refusal, names as excluded; a route is stored with every task. */
const MAX_EXCLUDED = 50;
/** Targets whose exclusions are remembered for callers who may use the same, and how long they may be as a text. */
const MAX_REMEMBERED = 100;
const MAX_KEY_LENGTH = 500;
const NO_MEDIA = { input: [], output: [] };

/** The excluded agents that a target fits. */
interface Found {
  /** Those restricted to other organizations last. */
  readonly candidates: readonly Candidate[];
  /** How many there are beyond them. */
  readonly more: number;
}

/** The agents of one target: by their id alone, or with the skill that fits. */
type Fitting = readonly { readonly agentId: string; readonly skillId?: string | undefined }[];

/** Of lists of usable agents and registered ones: what a target came to. */
const remembered = new WeakMap<
  readonly RoutableAgent[],
  WeakMap<readonly RoutableAgent[], Map<string, Found>>
>();

/**
 * The agents that fit what a message, a rule or a step asks for, but which its sender may not use: disabled, restricted to
 * other organizations, or forbidden by policies. What is the same for many messages is looked for once.
 */
export class ExcludedAgents {
  private readonly noted: Candidate[] = [];
  private noticed = 0;

  constructor(
    private readonly registered: Registered,
    private readonly usable: readonly RoutableAgent[],
  ) {}

  /** Notes who is excluded of those that a target means; `why` is a sentence that stands before the reason. */
  note(target: RoutingTarget, why?: string): void {
    if (this.registered.agents === this.usable) return;
    const { candidates, more } = this.found(target);
    this.add(candidates, why, more);
  }

  /** Notes which of these agents are excluded: for whatever they do. */
  noteAgents(agentIds: readonly string[], why: string): void {
    const gone = agentIds.filter((id) => !AgentIndex.of(this.usable).wholeAgent(id));
    if (gone.length === 0) return;
    const { candidates, more } = this.judged(gone.map((agentId) => ({ agentId })));
    this.add(candidates, why, more);
  }

  /** At most 50, in the order in which they were noted. */
  get candidates(): readonly Candidate[] {
    return this.noted;
  }

  /** How many were noted beyond them. */
  get more(): number {
    return this.noticed - this.noted.length;
  }

  private add(candidates: readonly Candidate[], why: string | undefined, more: number): void {
    this.noticed += candidates.length + more;
    for (const each of candidates) {
      if (this.noted.length === MAX_EXCLUDED) return;
      this.noted.push(why === undefined ? each : { ...each, why: `${why} ${each.why}` });
    }
  }

  private found(target: RoutingTarget): Found {
    const { agents } = this.registered;
    const { agentId, skillId, tags, match } = target;
    const key = JSON.stringify([agentId, skillId, tags, match]);
    if (key.length > MAX_KEY_LENGTH) return this.judged(this.unusable(target));
    let ofUsable = remembered.get(this.usable);
    if (!ofUsable) remembered.set(this.usable, (ofUsable = new WeakMap()));
    let known = ofUsable.get(agents);
    if (!known || known.size === MAX_REMEMBERED) {
      known = new Map<string, Found>();
      ofUsable.set(agents, known);
    }
    let found = known.get(key);
    if (!found) known.set(key, (found = this.judged(this.unusable(target))));
    return found;
  }

  private judged(fitting: Fitting): Found {
    const [here, elsewhere]: [Candidate[], Candidate[]] = [[], []];
    let count = 0;
    for (const { agentId, skillId } of fitting) {
      const exclusion = this.registered.whyNot(agentId, skillId);
      if (exclusion === undefined) continue;
      count++;
      const those = exclusion.isElsewhere ? elsewhere : here;
      if (those.length === MAX_EXCLUDED) continue;
      those.push({ agentId, ...(skillId !== undefined && { skillId }), why: exclusion.why });
    }
    const candidates = [...here, ...elsewhere].slice(0, MAX_EXCLUDED);
    return { candidates, more: count - candidates.length };
  }

  private unusable(target: RoutingTarget): Fitting {
    const all = AgentIndex.of(this.registered.agents);
    const usable = AgentIndex.of(this.usable);
    const { agentId, skillId, tags = [], match = 'all' } = target;
    if (agentId !== undefined) return unusableByName(agentId, skillId, all, usable);
    if (skillId !== undefined) {
      return all
        .offers(skillId)
        .filter(({ agent, skill }) => !hasSkill(usable.agent(agent.id), skill.id))
        .map(({ agent, skill }) => ({ agentId: agent.id, skillId: skill.id }));
    }
    const wanted = { tags, match, media: NO_MEDIA };
    const fits = (agent: RoutableAgent) => tagMatch(agent, agent.card.skills, wanted);
    return all.withTags(tags, match).flatMap((agent) => {
      const found = fits(agent);
      const own = usable.agent(agent.id);
      if (!found || (own && fits(own))) return [];
      return [{ agentId: agent.id, skillId: found.skill?.id }];
    });
  }
}

function unusableByName(
  agentId: string,
  skillId: string | undefined,
  all: AgentIndex,
  usable: AgentIndex,
): Fitting {
  const agent = all.agent(agentId);
  const skill = agent && skillId !== undefined ? skillOfEitherId(agent, skillId) : undefined;
  const own = usable.agent(agentId);
  const isUsable = skill ? hasSkill(own, skill.id) : usable.wholeAgent(agentId) !== undefined;
  return isUsable ? [] : [{ agentId, skillId: skill?.id }];
}

function hasSkill(agent: RoutableAgent | undefined, skillId: string): boolean {
  return agent !== undefined && skillOf(agent, skillId) !== undefined;
}
