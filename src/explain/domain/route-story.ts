import { type Candidate, planOf, type Route, type RouteReason } from '../../routing/index.js';
import { sentenceOf } from './words.js';

const REASONS: Readonly<Record<RouteReason, string>> = {
  agent: 'The client named the agent.',
  skill: 'The client named the skill.',
  tags: 'The client asked for skills by their tags.',
  affinity: 'The client named nothing, so the message went to who had the conversation before.',
  rule: "An operator's rule decided.",
  text: 'The client named nothing, so the text of the message was compared with the skills of the agents.',
  default: 'The client named nothing and nothing else matched, so the default agent was taken.',
};

/** Why which agents got the message, a sentence each. */
export function routeSentences(route: Route): readonly string[] {
  const { rule, composite, passedRules = [], skipped, leftOut = [] } = route;
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
