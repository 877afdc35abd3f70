import { skillOf, type AgentIndex } from './agent-index.js';
import { goneOf } from './find-named.js';
import { plainMatch, type Match } from './match.js';
import type { Found, RoutingQuestion } from './question.js';
import type { Candidate } from './route.js';
import type { TextMatch } from './text-index.js';

/** What speaks for an agent that may take over is at least this share of what speaks for the best. */
const NEARLY = 0.8;
/** Agents that did not score enough and are named all the same. */
const MAX_NAMED = 5;

/** What is known of a message's text: how well skills match it, and what the operator's router says. */
export interface TextFinding {
  /** Best first, of the skills the caller may use. */
  readonly candidates: readonly TextMatch[];
  /** The least score that decides. */
  readonly threshold: number;
  /** The order the operator's router gave; empty: it knows no agent for this. */
  readonly ordered?: { readonly picks: readonly TextMatch[]; readonly why: string };
  /** Why the operator's router was not followed; one sentence. */
  readonly note?: string;
}

/**
 * The skills that match the text: those the operator's router named, in its order, else the best one
 * above the threshold and those as good as it. Undefined when there are none.
 */
export function byText(
  question: RoutingQuestion,
  finding: TextFinding,
  index: AgentIndex,
): Found | undefined {
  const match = (each: TextMatch, why: string): Match[] => {
    const agent = index.provider(each.agentId);
    const skill = agent && skillOf(agent, each.skillId);
    if (!skill) return [];
    const found = plainMatch(agent, skill, why, question.media);
    return [{ ...found, ...(each.score > 0 && { textScore: each.score }) }];
  };
  const skipped = goneOf(question.affinity, index);
  const { ordered, note } = finding;
  if (ordered) {
    const matches = onePerAgent(ordered.picks).flatMap((each) => match(each, ordered.why));
    return matches.length === 0 ? undefined : { reason: 'text', matches, skipped, isOrdered: true };
  }
  const best = finding.candidates[0];
  if (!best || best.score < finding.threshold) return undefined;
  const isNear = (each: TextMatch): boolean =>
    each.score >= finding.threshold && isAsGood(each, best);
  const candidates = onePerAgent(finding.candidates);
  const explained = (each: TextMatch): string =>
    [wordsSentence(each), ...(note === undefined ? [] : [note])].join(' ');
  return {
    reason: 'text',
    matches: candidates.filter(isNear).flatMap((each) => match(each, explained(each))),
    skipped: [
      ...skipped,
      ...candidates
        .filter((each) => !isNear(each))
        .slice(0, MAX_NAMED)
        .map((each) => missed(each, 'Others match better.')),
    ],
  };
}

/**
 * Whether a skill may stand in for the best one: it has each word of the text that the best one has, so
 * that nobody gets the work who shares its subject but does something else.
 */
function isAsGood({ score, words }: TextMatch, best: TextMatch): boolean {
  return (
    best.words.every((word) => words.includes(word)) && oddsOf(score) >= NEARLY * oddsOf(best.score)
  );
}

/** What speaks for it over what speaks against it. */
function oddsOf(score: number): number {
  return score / (1 - score);
}

/** What of a finding is there for who may use these: the rest has gone meanwhile, or is not asked for. */
export function findingAmong(finding: TextFinding, index: AgentIndex): TextFinding {
  const isThere = ({ agentId, skillId }: TextMatch): boolean => {
    const agent = index.provider(agentId);
    return agent !== undefined && skillOf(agent, skillId) !== undefined;
  };
  const { candidates, ordered } = finding;
  return {
    ...finding,
    candidates: candidates.filter(isThere),
    ...(ordered && { ordered: { ...ordered, picks: ordered.picks.filter(isThere) } }),
  };
}

/** Those that match the text a little, as the explanation of what was decided without it. */
export function missedByText({ candidates, threshold, note }: TextFinding): Candidate[] {
  const why = [
    `Less than the threshold of ${threshold}.`,
    ...(note === undefined ? [] : [note]),
  ].join(' ');
  return onePerAgent(candidates)
    .slice(0, MAX_NAMED)
    .map((each) => missed(each, why));
}

function missed(match: TextMatch, why: string): Candidate {
  const { agentId, skillId, score } = match;
  return { agentId, skillId, score, why: `${wordsSentence(match)} ${why}` };
}

function wordsSentence({ skillId, words, score }: TextMatch): string {
  const inSkill = `in its skill "${skillId}"`;
  if (words.length === 0) return `No word of the text is ${inSkill}.`;
  const named = words.map((word) => `"${word}"`).join(', ');
  return `${named} of the text ${words.length === 1 ? 'is' : 'are'} ${inSkill}: score ${score}.`;
}

/** The best of each agent, and of the composite skills. */
export function onePerAgent(matches: readonly TextMatch[]): TextMatch[] {
  const seen = new Set<string>();
  return matches.filter(({ agentId }) => {
    const isNew = !seen.has(agentId);
    seen.add(agentId);
    return isNew;
  });
}
