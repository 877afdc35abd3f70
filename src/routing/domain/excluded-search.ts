import { evictOldest } from '../../common/evict-oldest.js';
import type { RoutingTarget } from '../../protocol/routing-extension.js';
import { AgentIndex, type RoutableAgent, skillOf } from './agent-index.js';
import type { Candidate } from './candidate.js';
import { tagMatch } from './match.js';

/** The agents of the hub, whoever may use them. Lists are the same until something changes. */
export interface Registered {
  /** All of them; the list of what a caller may use where that is everything. */
  readonly agents: readonly RoutableAgent[];
  /** Those of the caller's organization that are disabled or cannot be used. */
  readonly closed: readonly RoutableAgent[];
  /** The others of its organization; the list of what a caller may use where policies permit it all. */
  readonly open: readonly RoutableAgent[];
  /** Whether an agent is restricted to other organizations. */
  readonly isElsewhere: (agentId: string) => boolean;
  /** Why the caller may not use an agent, or a skill of it, as a sentence; undefined where it may. */
  readonly whyNot: (agentId: string, skillId: string | undefined) => string | undefined;
}

/** Agents that a route, or a refusal, names as excluded; a route is stored with every task. */
export const MAX_EXCLUDED = 50;
/** Agents that are looked at for one message, beside those that its sender may use. */
export const MAX_LOOKED_AT = 1000;
/** Targets whose exclusions are remembered for callers who may use the same, and how long they may be as a text. */
const MAX_REMEMBERED = 100;
const MAX_KEY_LENGTH = 500;
const NO_MEDIA = { input: [], output: [] };

/** An agent, with the skill that fits where one does. */
export interface Fit {
  readonly agentId: string;
  readonly skillId?: string | undefined;
}

/** The excluded agents that a target fits. */
export interface FoundExcluded {
  /** At most 50, with the reason. */
  readonly candidates: readonly Candidate[];
  /** Those beyond them. */
  readonly others: readonly Fit[];
  /** The ids of those that are restricted to other organizations. */
  readonly elsewhere: readonly string[];
  /** How many agents were looked at. */
  readonly lookedAt: number;
  /** There were more to look at. */
  readonly isPartial: boolean;
}

/** Of lists of usable agents and closed ones: what targets came to, those that were asked for last at the end. */
const remembered = new WeakMap<
  readonly RoutableAgent[],
  WeakMap<readonly RoutableAgent[], Map<string, FoundExcluded>>
>();

/** Looks for the agents with a skill, or with tags, that a caller may not use. What is the same for many messages is looked for once. */
export class ExcludedSearch {
  constructor(
    private readonly registered: Registered,
    private readonly usable: readonly RoutableAgent[],
  ) {}

  /** Looks at no more than so many agents; those of the caller's organization come first. */
  find(target: RoutingTarget, most: number): FoundExcluded {
    const { skillId, tags, match } = target;
    const key = JSON.stringify([skillId, tags, match]);
    if (key.length > MAX_KEY_LENGTH) return this.look(target, most);
    const known = this.known();
    const before = known.get(key);
    const found = before ?? this.look(target, most);
    // What another target of the message has cut short is not all that there is to say of this one.
    if (found.isPartial && found.lookedAt < MAX_LOOKED_AT) return found;
    if (before === undefined) evictOldest(known, MAX_REMEMBERED);
    else known.delete(key);
    known.set(key, found);
    return found;
  }

  private known(): Map<string, FoundExcluded> {
    const { closed } = this.registered;
    let ofUsable = remembered.get(this.usable);
    if (!ofUsable) remembered.set(this.usable, (ofUsable = new WeakMap()));
    let known = ofUsable.get(closed);
    if (!known) ofUsable.set(closed, (known = new Map<string, FoundExcluded>()));
    return known;
  }

  private look(target: RoutingTarget, most: number): FoundExcluded {
    const { isElsewhere } = this.registered;
    const usable = AgentIndex.of(this.usable);
    const lookedAt = new Set<string>();
    const elsewhere: string[] = [];
    const here: Fit[] = [];
    let isPartial = false;
    for (const { agent, carriesAll } of this.inQuestion(target)) {
      const own = usable.agent(agent.id);
      const isUsable = own !== undefined && own.isNarrowed !== true;
      if (isUsable || lookedAt.has(agent.id)) continue;
      if (lookedAt.size === most) {
        isPartial = true;
        break;
      }
      lookedAt.add(agent.id);
      if (!carriesAll(agent)) continue;
      if (isElsewhere(agent.id)) {
        elsewhere.push(agent.id);
        continue;
      }
      const fit = fitOf(agent, target);
      if (fit && !(own && fitOf(own, target))) here.push(fit);
    }
    return { ...this.judged(here), elsewhere, lookedAt: lookedAt.size, isPartial };
  }

  /** Those that may fit, one by one; an agent may come more than once. */
  private *inQuestion(target: RoutingTarget): Generator<InQuestion, void> {
    const { closed, open, agents } = this.registered;
    for (const list of [closed, open, agents]) {
      if (list !== this.usable) yield* sharing(AgentIndex.of(list), target);
    }
  }

  private judged(fitting: readonly Fit[]): Pick<FoundExcluded, 'candidates' | 'others'> {
    const candidates: Candidate[] = [];
    const others: Fit[] = [];
    for (const fit of fitting) {
      if (candidates.length === MAX_EXCLUDED) {
        others.push(fit);
        continue;
      }
      const why = this.registered.whyNot(fit.agentId, fit.skillId);
      if (why !== undefined) candidates.push(candidateOf(fit, why));
    }
    return { candidates, others };
  }
}

interface InQuestion {
  readonly agent: RoutableAgent;
  /** Whether it carries the tags, not always on one skill, where all of them are wanted. */
  readonly carriesAll: (agent: RoutableAgent) => boolean;
}

function* sharing(
  index: AgentIndex,
  { skillId, tags = [], match = 'all' }: RoutingTarget,
): Generator<InQuestion, void> {
  if (skillId !== undefined) {
    for (const agent of index.withSkill(skillId)) yield { agent, carriesAll: always };
    return;
  }
  const sets = tags.map((tag) => index.withTag(tag));
  if (match === 'any') {
    for (const set of sets) for (const agent of set) yield { agent, carriesAll: always };
    return;
  }
  const [rarest = []] = sets.toSorted((a, b) => a.size - b.size);
  const carriesAll = (agent: RoutableAgent) => sets.every((set) => set.has(agent));
  for (const agent of rarest) yield { agent, carriesAll };
}

const always = (): boolean => true;

function fitOf(
  agent: RoutableAgent,
  { skillId, tags = [], match = 'all' }: RoutingTarget,
): Fit | undefined {
  const agentId = agent.id;
  if (skillId !== undefined) return skillOf(agent, skillId) && { agentId, skillId };
  const found = tagMatch(agent, agent.card.skills, { tags, match, media: NO_MEDIA });
  return found && { agentId, skillId: found.skill?.id };
}

/** An excluded agent as a route has it. */
export function candidateOf({ agentId, skillId }: Fit, why: string): Candidate {
  return skillId === undefined ? { agentId, why } : { agentId, skillId, why };
}
