import { HubError } from '../../common/hub-error.js';
import type { AgentIndex } from './agent-index.js';
import { byTarget } from './find-named.js';
import type { Found, RoutingQuestion, RuleVerdict } from './question.js';

/**
 * What the rule that applies leads to. Throws HubError NO_ROUTE with the sentence of a rule that rejects,
 * and for one that finds no agent. Which rule it is, is not for every client to know.
 */
export function byRule(
  { decision }: RuleVerdict,
  { media }: Pick<RoutingQuestion, 'media'>,
  index: AgentIndex,
): Found | undefined {
  if (!decision) return undefined;
  const { rule, target, options } = decision;
  if (target.to === undefined) {
    throw new HubError('NO_ROUTE', target.reject);
  }
  const why = decision.why ?? `By the rule "${rule.name}".`;
  const found = inRule(() => byTarget({ agentId: undefined, directive: target.to, media }, index));
  return {
    ...found,
    reason: 'rule',
    matches: found.matches.map((match) => ({ ...match, why: [why, ...match.why.slice(1)] })),
    rule,
    ...(options && { options }),
  };
}

function inRule(find: () => Found): Found {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    throw new HubError('NO_ROUTE', `A rule of the operator finds no agent. ${error.message}`, {
      metadata: error.metadata,
      cause: error,
    });
  }
}
