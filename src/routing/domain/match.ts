import type { TagMatch } from '../../protocol/routing-extension.js';
import type { AgentSkill } from '../../protocol/a2a.js';
import type { RoutableAgent } from './agent-index.js';
import { tagKeysOf } from '../../common/tag-key.js';
import { type MediaFit, mediaFit, type MediaTypes } from './media-types.js';

const NO_TAGS: readonly string[] = [];

/** An agent that may take the message, and how well it suits. */
export interface Match {
  readonly agent: RoutableAgent;
  readonly skill: AgentSkill | undefined;
  /** How many of the tags asked for it carries. */
  readonly tagCount: number;
  readonly mediaScore: number;
  /** How well it suits the text, 0 to 1, when that was asked. */
  readonly textScore?: number;
  /** Sentences that explain it. */
  readonly why: readonly string[];
}

/** What a match is judged by, beside the agent. */
export interface Wanted {
  readonly tags: readonly string[];
  readonly match: TagMatch;
  readonly media: MediaTypes;
}

/** An agent taken as it is, with the skill named if one was. */
export function plainMatch(
  agent: RoutableAgent,
  skill: AgentSkill | undefined,
  why: string,
  media: MediaTypes,
): Match {
  const fit = mediaFit(agent, skill, media);
  return { agent, skill, tagCount: 0, mediaScore: fit.score, why: [why, ...fit.mismatches] };
}

/**
 * The best of `skills` for the tags; undefined when none carries them. A tag of the agent counts as
 * one of each of its skills. With `all` one skill must carry every tag, with `any` the more the
 * better; then its own tags before the agent's, then the media types, then the card's order. Media
 * types that are enforced come before all that.
 */
export function tagMatch(
  agent: RoutableAgent,
  skills: readonly AgentSkill[],
  wanted: Wanted,
): Match | undefined {
  const requested = [...tagKeysOf(wanted.tags)];
  const agentTags = tagKeysOf(agent.tags);
  const isEnforced = wanted.media.isEnforced === true;
  let ofAgent: MediaFit | undefined;
  let best: TagOption | undefined;
  for (const skill of skills.length > 0 ? skills : [undefined]) {
    const skillTags = tagKeysOf(skill?.tags ?? NO_TAGS);
    const own = requested.filter((tag) => skillTags.has(tag));
    const carried = requested.filter((tag) => skillTags.has(tag) || agentTags.has(tag));
    const enough =
      wanted.match === 'all' ? carried.length === requested.length : carried.length > 0;
    if (!enough) continue;
    const counts = own.length > 0 || skills.length === 1 ? skill : undefined;
    // Without a skill it is the same each time, and may be one of all skills.
    const fit = counts
      ? mediaFit(agent, counts, wanted.media)
      : (ofAgent ??= mediaFit(agent, undefined, wanted.media));
    const option = { skill: counts, own, carried, fit };
    if (best === undefined || isBetter(option, best, isEnforced)) best = option;
  }
  if (!best) return undefined;
  const who = best.skill ? `Its skill "${best.skill.id}"` : 'The agent';
  return {
    agent,
    skill: best.skill,
    tagCount: best.carried.length,
    mediaScore: best.fit.score,
    why: [`${who} carries ${best.carried.join(', ')}.`, ...best.fit.mismatches],
  };
}

/** A skill for the tags, or the agent without one. */
interface TagOption {
  readonly skill: AgentSkill | undefined;
  readonly own: readonly string[];
  readonly carried: readonly string[];
  readonly fit: MediaFit;
}

function isBetter(a: TagOption, b: TagOption, isEnforced: boolean): boolean {
  const difference =
    (isEnforced ? a.fit.score - b.fit.score : 0) ||
    a.carried.length - b.carried.length ||
    a.own.length - b.own.length ||
    a.fit.score - b.fit.score;
  return difference > 0;
}
