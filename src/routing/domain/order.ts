import type { AgentCondition } from '../../agents/index.js';
import { HubError } from '../../common/hub-error.js';
import { namedList } from '../../common/named-list.js';
import { candidateOf } from './explain.js';
import { extensionsRequired, missingExtensions } from './extensions.js';
import { isComposite } from './find-named.js';
import type { Match } from './match.js';
import { MediaList } from './media-list.js';
import { FULL_FIT, type MediaTypes } from './media-types.js';
import type { Found, RoutingQuestion } from './question.js';
import type { Candidate } from './route.js';
import type { UsedUp } from './used-up.js';

/** Seconds after which a client may try again when every agent it could use is full. */
const RETRY_AFTER_SECONDS = '5';

/** The matches in the order to be asked, and what was left out of them, with the reason. */
export interface Arranged {
  readonly matches: readonly Match[];
  readonly skipped: readonly Candidate[];
  /** Why the first match goes before the second, where they were ordered. */
  readonly lead?: string;
}

/** What the filters go by; the rest of a question is of no interest to them. */
export interface Circumstances extends Pick<
  RoutingQuestion,
  'extensions' | 'conditionOf' | 'usedUp'
> {
  readonly media: MediaTypes;
  /** So many are wanted (a quorum): agents that are down are asked where others do not suffice. */
  readonly atLeast: number;
  /** The work begins now; a step whose turn comes later is not refused because agents are full now. */
  readonly isImmediate: boolean;
}

/**
 * Filters and orders what was found: required extensions, enforced media types, limits, health, breaker and
 * full queues. Throws HubError EXTENSION_SUPPORT_REQUIRED, CONTENT_TYPE_NOT_SUPPORTED, QUOTA_EXCEEDED or AGENT_BUSY
 * when that leaves none.
 */
export function arrange(found: Found, circumstances: Circumstances): Arranged {
  const requested = withoutUnrequested(found.matches, circumstances.extensions);
  const fitting = withoutUnfitting(requested.matches, circumstances.media);
  const within = withoutUsedUp(fitting.matches, circumstances.usedUp ?? []);
  const judged = within.matches.map((match) => judge(match, circumstances));
  if (!found.isOrdered) judged.sort(byRank);
  const { left, ...available } = withoutUnavailable(judged, circumstances);
  const [first, second] = left;
  return {
    matches: available.matches,
    ...(first && second && !found.isOrdered && { lead: leadSentence(first, second) }),
    skipped: [
      ...(found.skipped ?? []),
      ...requested.skipped,
      ...fitting.skipped,
      ...within.skipped,
      ...available.skipped,
    ],
  };
}

/** Leaves out the agents that insist on an extension which was not asked for (A2A §4.6.1). */
function withoutUnrequested(matches: readonly Match[], requested: readonly string[]): Arranged {
  const known = new Set(requested);
  const judged = matches.map((match) => ({
    match,
    missing: missingExtensions(match.agent, known),
  }));
  const left = judged.filter(({ missing }) => missing.length === 0);
  if (left.length === 0) {
    throw extensionsRequired([...new Set(judged.flatMap(({ missing }) => missing))]);
  }
  return {
    matches: left.map(({ match }) => match),
    skipped: judged
      .filter(({ missing }) => missing.length > 0)
      .map(({ match, missing }) =>
        candidateOf(match, `Requires ${namedList(missing)}, which was not asked for.`),
      ),
  };
}

/** With enforced media types: leaves out who does not take what comes or give what is wanted. */
function withoutUnfitting(matches: readonly Match[], media: MediaTypes): Arranged {
  if (media.isEnforced !== true) return { matches, skipped: [] };
  const left = matches.filter(({ mediaScore }) => mediaScore === FULL_FIT);
  if (left.length > 0) {
    const out = matches.filter(({ mediaScore }) => mediaScore !== FULL_FIT);
    return { matches: left, skipped: out.map((match) => candidateOf(match)) };
  }
  const inputTypes = MediaList.of(media.input).named;
  const outputTypes = MediaList.of(media.output).named;
  const output = outputTypes === '' ? '' : ` and gives one of ${outputTypes}`;
  throw new HubError(
    'CONTENT_TYPE_NOT_SUPPORTED',
    `No agent that matches takes ${inputTypes || 'this message'}${output}.`,
    { metadata: { inputTypes, outputTypes } },
  );
}

/** Leaves out the agents whose limits are used up. Throws the refusal when that leaves none. */
function withoutUsedUp(matches: readonly Match[], usedUp: readonly UsedUp[]): Arranged {
  if (usedUp.length === 0) return { matches, skipped: [] };
  const limitOf = (match: Match): UsedUp | undefined => {
    const { agentId, skillId } = candidateOf(match);
    return usedUp.find(
      (each) =>
        each.agentId === agentId && (each.skillId === undefined || each.skillId === skillId),
    );
  };
  const left = matches.filter((match) => limitOf(match) === undefined);
  const kept = new Set(left);
  const [first] = matches;
  const refusal = first && left.length === 0 ? limitOf(first)?.refusal : undefined;
  if (refusal) throw refusal;
  return {
    matches: left,
    skipped: matches
      .filter((match) => !kept.has(match))
      .map((match) => candidateOf(match, limitOf(match)!.refusal.message)),
  };
}

/** A match and how its agent stands at this moment. */
interface Judged {
  readonly match: Match;
  readonly condition: AgentCondition;
  /** Work at hand, relative to what the agent is given as its share. */
  readonly load: number;
}

const HEALTH_RANK: Readonly<Record<AgentCondition['health'], number>> = {
  healthy: 0,
  unknown: 0,
  degraded: 1,
  down: 2,
};

function judge(match: Match, { conditionOf }: Circumstances): Judged {
  const condition = conditionOf(match.agent.id);
  const load = (condition.outstanding + condition.queued) / (match.agent.weight ?? 1);
  return { match, condition, load };
}

/** One of the things by which the better of two is known. */
interface Criterion {
  /** What it says for this one: the more the better. */
  readonly of: (judged: Judged) => number;
  /** Why the better one is better, as a clause without an end. */
  readonly why: (better: Judged, other: Judged) => string;
}

/**
 * The better one first: more tags, media types, the text; then a composite skill, which the operator has
 * named on purpose, before any agent, so that which of them it is never depends on load; then health, priority, least work relative
 * to the weight. Of those that are equal in all of it the first by id. Never by chance.
 */
const CRITERIA: readonly Criterion[] = [
  {
    of: ({ match }) => match.tagCount,
    why: ({ match: a }, { match: b }) =>
      `it carries more of the tags: ${a.tagCount} against ${b.tagCount}`,
  },
  { of: ({ match }) => match.mediaScore, why: () => 'its media types suit better' },
  {
    of: ({ match }) => match.textScore ?? 0,
    why: ({ match: a }, { match: b }) =>
      `it matches the text better: ${a.textScore ?? 0} against ${b.textScore ?? 0}`,
  },
  { of: ({ match }) => Number(isComposite(match)), why: () => 'it is a composite skill' },
  {
    of: ({ condition }) => -healthRank(condition),
    why: (_, { condition: { health, breaker } }) =>
      breaker === 'closed'
        ? `the other is ${health}`
        : `the breaker of the other is ${breaker} after failures`,
  },
  {
    of: ({ match }) => match.agent.priority,
    why: ({ match: a }, { match: b }) =>
      `its priority is higher: ${a.agent.priority} against ${b.agent.priority}`,
  },
  {
    of: ({ load }) => -load,
    why: (a, b) =>
      weightOf(a) === weightOf(b)
        ? `it has less at work: ${workOf(a)} against ${workOf(b)}`
        : `it has less at work for its weight: ${workOf(a)} with weight ${weightOf(a)} against ${workOf(b)} with weight ${weightOf(b)}`,
  },
];

function byRank(a: Judged, b: Judged): number {
  for (const { of } of CRITERIA) {
    const difference = of(b) - of(a);
    if (difference !== 0) return difference;
  }
  return a.match.agent.id < b.match.agent.id ? -1 : 1;
}

/** Why the first goes before the second; one sentence. */
function leadSentence(first: Judged, second: Judged): string {
  const { id } = second.match.agent;
  const name = isComposite(second.match) ? `the composite skill ${second.match.skill?.id}` : id;
  const deciding = CRITERIA.find(({ of }) => of(first) !== of(second));
  return deciding
    ? `Before ${name}, since ${deciding.why(first, second)}.`
    : `Equal to ${name} in everything that counts, and before it by the order of their ids.`;
}

function weightOf({ match }: Judged): number {
  return match.agent.weight ?? 1;
}

function workOf({ condition }: Judged): number {
  return condition.outstanding + condition.queued;
}

/** 0 to 3: as usual, half-open, down, out of service. */
function healthRank({ health, breaker }: AgentCondition): number {
  if (breaker === 'open') return 3;
  // The health of an agent without health checks shows only in its work: it is tried again.
  if (breaker !== 'half-open' || health === 'unknown') return HEALTH_RANK[health];
  return Math.max(1, HEALTH_RANK[health]);
}

/**
 * Leaves out who is down or whose breaker is open, as long as others suffice; where they do not, these
 * come last, as a half-open probe. Who is full is left out in any case, unless its turn comes later.
 */
function withoutUnavailable(
  judged: readonly Judged[],
  { atLeast, isImmediate }: Circumstances,
): Arranged & { readonly left: readonly Judged[] } {
  const isFull = ({ condition }: Judged): boolean => isImmediate && condition.isFull;
  const isAvailable = (each: Judged): boolean => !isFull(each) && !isOut(each.condition);
  const available = judged.filter(isAvailable);
  const missing = available.length === 0 ? judged.length : Math.max(0, atLeast - available.length);
  const halfOpen = judged
    .filter((each) => !isFull(each) && isOut(each.condition))
    .slice(0, missing);
  const chosen = [...available, ...halfOpen];
  if (chosen.length === 0) throw busy(judged);
  const kept = new Set(chosen);
  const out = judged.filter((each) => !kept.has(each));
  return {
    left: chosen,
    matches: chosen.map(({ match, condition }) => explained(match, condition)),
    skipped: out.map(({ match, condition }) =>
      candidateOf(match, isOut(condition) ? outSentence(condition) : 'Its queue is full.'),
    ),
  };
}

function isOut({ health, breaker }: AgentCondition): boolean {
  return health === 'down' || breaker === 'open';
}

function outSentence({ breaker }: AgentCondition): string {
  return breaker === 'open'
    ? 'Its last calls failed: it is left alone for a while.'
    : 'It is down.';
}

/** The match with what its condition adds to the explanation. */
function explained(match: Match, condition: AgentCondition): Match {
  const { health, breaker, outstanding, queued } = condition;
  const sentences = [
    ...(isOut(condition)
      ? [`${outSentence(condition)} It is tried because too few others are left.`]
      : breaker === 'half-open'
        ? ['Half-open after failures.']
        : health === 'degraded'
          ? ['Degraded: some of its last calls failed.']
          : []),
    ...(outstanding > 0 ? [`Has ${outstanding} at work.`] : []),
    ...(queued > 0 ? [`${queued} wait for it.`] : []),
  ];
  return sentences.length === 0 ? match : { ...match, why: [...match.why, ...sentences] };
}

function busy(judged: readonly Judged[]): HubError {
  const agents = judged.map(({ match }) => match.agent.id).join(', ');
  const full = judged.length === 1 ? 'has its queue full' : 'have their queues full';
  return new HubError('AGENT_BUSY', `${agents} ${full}; try again later.`, {
    metadata: { agents, retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
}
