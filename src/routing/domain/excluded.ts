import type { RoutingTarget } from '../../protocol/routing-extension.js';
import {
  AgentIndex,
  type RoutableAgent,
  skillOf,
  skillOfEitherId,
  splitSkillId,
} from './agent-index.js';
import type { Candidate } from './candidate.js';
import {
  candidateOf,
  ExcludedSearch,
  type Fit,
  type FoundExcluded,
  MAX_EXCLUDED,
  MAX_LOOKED_AT,
  type Registered,
} from './excluded-search.js';
import type { Exclusions } from './route.js';

/**
 * The agents that fit what a message, a rule or a step asks for, but which its sender may not use: disabled, restricted to
 * other organizations, or forbidden by policies. Each is noted once, or once for each skill, by whatever it was found first.
 * Those that are named by their ids come first; of others, those that are restricted to other organizations are counted only.
 */
export class ExcludedAgents {
  private readonly search: ExcludedSearch;
  private readonly named = new Map<string, Candidate>();
  private readonly found = new Map<string, Candidate>();
  private readonly others = new Set<string>();
  private readonly elsewhere = new Set<string>();
  private isPartial = false;
  private left = MAX_LOOKED_AT;

  constructor(
    private readonly registered: Registered,
    private readonly usable: readonly RoutableAgent[],
  ) {
    this.search = new ExcludedSearch(registered, usable);
  }

  /** Notes who is excluded of those that a target means; `why` is a sentence that stands before the reason. */
  note(target: RoutingTarget, why?: string): void {
    if (this.registered.agents === this.usable) return;
    const named = this.namedBy(target);
    if (named === undefined) this.noteFound(target, why);
    else this.noteNamed(named, why);
  }

  /** Notes which of these agents are excluded: for whatever they do. */
  noteAgents(agentIds: readonly string[], why: string): void {
    if (this.registered.agents === this.usable) return;
    for (const agentId of agentIds) this.noteNamed({ agentId }, why);
  }

  /** What a route, or a refusal, tells of them: nothing where none is excluded. */
  get shown(): Exclusions {
    const found = [...this.found].filter(([key]) => !this.named.has(key));
    const all = [...this.named.values(), ...found.map(([, candidate]) => candidate)];
    const excluded = all.slice(0, MAX_EXCLUDED);
    const others = [...this.others].filter((key) => !this.named.has(key) && !this.found.has(key));
    const more = all.length - excluded.length + others.length;
    const ids = new Set(all.map(({ agentId }) => agentId));
    const elsewhere = [...this.elsewhere].filter((id) => !ids.has(id)).length;
    return {
      ...(excluded.length > 0 && { excluded }),
      ...(more > 0 && { moreExcluded: more }),
      ...(elsewhere > 0 && { excludedElsewhere: elsewhere }),
      ...(this.isPartial && { isExcludedPartial: true as const }),
    };
  }

  /** The one agent that a target names by its id, alone or in that of a skill of the hub's card. */
  private namedBy({ agentId, skillId }: RoutingTarget): Fit | undefined {
    if (agentId !== undefined) return { agentId, skillId };
    const split = skillId === undefined ? undefined : splitSkillId(skillId);
    const agent = split && AgentIndex.of(this.registered.agents).agent(split.agentId);
    return agent && skillOf(agent, split.skillId) ? split : undefined;
  }

  private noteNamed({ agentId, skillId }: Fit, why: string | undefined): void {
    const usable = AgentIndex.of(this.usable);
    const agent = AgentIndex.of(this.registered.agents).agent(agentId);
    const skill = agent && skillId !== undefined ? skillOfEitherId(agent, skillId) : undefined;
    const own = skill ? usable.agent(agentId) : usable.wholeAgent(agentId);
    if (own && (!skill || skillOf(own, skill.id))) return;
    const fit = { agentId, skillId: skill?.id };
    const reason = this.registered.whyNot(agentId, skill?.id);
    if (reason !== undefined) add(this.named, candidateOf(fit, sentences(why, reason)));
  }

  private noteFound(target: RoutingTarget, why: string | undefined): void {
    const found: FoundExcluded = this.search.find(target, this.left);
    this.left = Math.max(0, this.left - found.lookedAt);
    this.isPartial ||= found.isPartial;
    for (const each of found.candidates) {
      add(this.found, candidateOf(each, sentences(why, each.why)));
    }
    for (const each of found.others) this.others.add(keyOf(each));
    for (const id of found.elsewhere) this.elsewhere.add(id);
  }
}

/** Unless it is there already. */
function add(candidates: Map<string, Candidate>, candidate: Candidate): void {
  const key = keyOf(candidate);
  if (!candidates.has(key)) candidates.set(key, candidate);
}

function keyOf({ agentId, skillId }: Fit): string {
  return JSON.stringify([agentId, skillId]);
}

function sentences(why: string | undefined, reason: string): string {
  return why === undefined ? reason : `${why} ${reason}`;
}
