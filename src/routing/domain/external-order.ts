import type { Message } from '../../protocol/a2a.js';
import { hubSkillId, skillOf, type AgentIndex } from './agent-index.js';
import { onePerAgent, type TextFinding } from './find-text.js';
import { mediaTypeOf } from './media-types.js';
import type { TextMatch } from './text-index.js';

/** Candidates shown to an external router, those that match the text best first. */
const MAX_EXTERNAL_CANDIDATES = 100;
/** The message's text shown to it, from its beginning. */
const TEXT_LENGTH = 8000;
/** Parts shown to it, and characters of each media type. */
const MAX_PARTS = 100;
const MEDIA_TYPE_LENGTH = 200;
/** Characters of each description, and tags of each skill, that are shown. */
const DESCRIPTION_LENGTH = 1000;
const MAX_TAGS = 50;
/** Characters of its reason that are kept. */
const REASON_LENGTH = 300;

/** What an external router is asked: the body of the request. */
export interface ExternalQuestion {
  readonly organization: string;
  readonly message: {
    /** The text parts, joined by line feeds; at most 8,000 characters. */
    readonly text: string;
    /** What else there is, at most 100; the contents stay in the hub. */
    readonly parts: readonly { readonly kind: string; readonly mediaType: string }[];
  };
  readonly candidates: readonly ExternalCandidate[];
}

export interface ExternalCandidate {
  /** `agentId.skillId`, as in the hub's card. */
  readonly id: string;
  readonly skill: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** How well the hub's own text match finds it, 0 to 1. */
  readonly score: number;
}

/** What it answers: ids of candidates, the best first. */
export interface ExternalAnswer {
  readonly order: readonly string[];
  readonly reason: string | undefined;
}

/**
 * Skills the caller may use: those the text matches first, then the others as they are listed. Where not
 * all find room the best of each agent goes before its others, so that nobody crowds the rest out.
 */
export function externalCandidates(found: readonly TextMatch[], index: AgentIndex): TextMatch[] {
  const usable = found.filter(({ agentId }) => index.provider(agentId));
  const best = new Set(onePerAgent(usable));
  const candidates = [...best, ...usable.filter((each) => !best.has(each))]
    .slice(0, MAX_EXTERNAL_CANDIDATES)
    .sort((a, b) => b.score - a.score);
  const known = new Set(found.map(({ agentId, skillId }) => hubSkillId(agentId, skillId)));
  for (const { id: agentId, card } of index.providers) {
    for (const { id: skillId } of card.skills) {
      if (candidates.length >= MAX_EXTERNAL_CANDIDATES) return candidates;
      if (known.has(hubSkillId(agentId, skillId))) continue;
      candidates.push({ agentId, skillId, score: 0, words: [] });
    }
  }
  return candidates;
}

export function externalQuestion(
  organization: string,
  text: string,
  { parts }: Pick<Message, 'parts'>,
  candidates: readonly TextMatch[],
  index: AgentIndex,
): ExternalQuestion {
  return {
    organization,
    message: {
      text: text.slice(0, TEXT_LENGTH),
      parts: parts.slice(0, MAX_PARTS).map((part) => ({
        kind: part.content?.$case ?? 'none',
        mediaType: mediaTypeOf(part).slice(0, MEDIA_TYPE_LENGTH),
      })),
    },
    candidates: candidates.flatMap(({ agentId, skillId, score }) => {
      const provider = index.provider(agentId);
      const skill = provider && skillOf(provider, skillId);
      if (!skill) return [];
      return [
        {
          id: hubSkillId(agentId, skillId),
          skill: skill.name,
          description: skill.description.slice(0, DESCRIPTION_LENGTH),
          tags: skill.tags.slice(0, MAX_TAGS),
          score,
        },
      ];
    }),
  };
}

/** Reads the body of an answer. Throws an Error that says what is wrong with it. */
export function readExternalAnswer(body: string): ExternalAnswer {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    throw new Error('its answer is not JSON');
  }
  const { order, reason } = (json ?? {}) as Record<string, unknown>;
  if (!Array.isArray(order) || !order.every((id) => typeof id === 'string')) {
    throw new Error('its answer has no order: a list of ids');
  }
  if (reason !== undefined && reason !== null && typeof reason !== 'string') {
    throw new Error('the reason in its answer is not a text');
  }
  return {
    order: [...new Set(order)],
    reason: typeof reason === 'string' ? onOneLine(reason) : undefined,
  };
}

/** What can be shown of a text, at most {@link REASON_LENGTH} characters of it. */
function onOneLine(text: string): string {
  const shown = text.replace(/[\s\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim();
  return [...shown].slice(0, REASON_LENGTH).join('');
}

/**
 * What the answer makes of the candidates. Ids that are none of theirs are ignored; an answer of such
 * ids alone is not followed, an empty one says that nobody suits.
 */
export function followExternal(
  finding: TextFinding,
  candidates: readonly TextMatch[],
  { order, reason }: ExternalAnswer,
): TextFinding {
  const byId = new Map(
    candidates.map((each) => [hubSkillId(each.agentId, each.skillId), each] as const),
  );
  const picks = order.flatMap((id) => byId.get(id) ?? []);
  if (picks.length === 0 && order.length > 0) {
    return { ...finding, note: 'The external router named none of the candidates.' };
  }
  const said =
    picks.length > 0 ? 'Chosen by the external router' : 'The external router chose no agent';
  return { ...finding, ordered: { picks, why: `${said}${reason ? `: ${reason}` : ''}.` } };
}
