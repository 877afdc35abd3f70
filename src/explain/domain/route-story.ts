import { sentenceOf } from '../../common/sentence.js';
import {
  type Candidate,
  planOf,
  type Route,
  type RouteReason,
  withoutExcluded,
} from '../../routing/index.js';
import { countOf } from './words.js';

const REASONS: Readonly<Record<RouteReason, string>> = {
  agent: 'The client named the agent.',
  skill: 'The client named the skill.',
  tags: 'The client asked for skills by their tags.',
  affinity: 'The client named nothing, so the message went to who had the conversation before.',
  rule: "An operator's rule decided.",
  text: 'The client named nothing, so the text of the message was compared with the skills of the agents.',
  default: 'The client named nothing and nothing else matched, so the default agent was taken.',
};

/**
 * Why which agents got the message, a sentence each. Which agents its sender may not use is for those who may read everybody's
 * tasks.
 */
export function routeSentences(route: Route, seesExcluded: boolean): readonly string[] {
  const { rule, composite, passedRules = [], skipped, leftOut = [] } = route;
  const {
    moreSkipped = 0,
    excluded = [],
    moreExcluded = 0,
    excludedElsewhere = 0,
    isExcludedPartial = false,
  } = seesExcluded ? route : withoutExcluded(route);
  const plan = planOf(route);
  return [
    ...passedRules.map(
      ({ id, name, why }) =>
        `The rule "${name}" (${id}) applied, but found no agent: ${sentenceOf(why)}`,
    ),
    rule === undefined
      ? REASONS[route.reason]
      : `The rule "${rule.name}" (${rule.id}) of an operator decided.`,
    ...(composite === undefined
      ? []
      : [`It is the composite skill ${composite.id}, version ${composite.version}.`]),
    ...plan.flatMap(({ name, strategy, chosen }) => {
      const step = plan.length === 1 ? '' : `Step "${name}": `;
      return chosen.map(
        (each, at) =>
          `${step}${named(each)} ${asWhat(strategy, at, chosen.length)}: ${reason(each)}`,
      );
    }),
    ...skipped.map((each) => `${named(each)} was passed over: ${reason(each)}`),
    ...(moreSkipped > 0 ? [`${countOf(moreSkipped, 'further agent')} had to be passed over.`] : []),
    ...excluded.map((each) => `${named(each)} could not be used by this caller: ${reason(each)}`),
    ...(moreExcluded > 0 ? [`${countOf(moreExcluded, 'further agent')} could not be used.`] : []),
    ...(excludedElsewhere > 0
      ? [
          `${countOf(excludedElsewhere, 'agent')} that would fit ${excludedElsewhere === 1 ? 'is' : 'are'} restricted to other organizations.`,
        ]
      : []),
    ...(isExcludedPartial
      ? ['Not every agent that this caller cannot use was looked at: more may fit.']
      : []),
    ...leftOut.map(({ step, why }) => `The step "${step}" was left out: ${sentenceOf(why)}`),
  ];
}

function asWhat(strategy: string, at: number, count: number): string {
  if (strategy !== 'one' || count === 1) return 'was chosen';
  return at === 0 ? 'was chosen first' : `takes over as no. ${at + 1}`;
}

function named({ agentId, skillId }: Candidate): string {
  return skillId === undefined ? `The agent ${agentId}` : `The agent ${agentId} (skill ${skillId})`;
}

function reason({ why }: Candidate): string {
  return sentenceOf(why);
}
