import { type AgentIndex, hubSkillId } from '../../domain/agent-index.js';
import { COMPOSITE_AGENT_ID } from '../../domain/composite-skill.js';
import type { RuleDecision, RuleQuestion, RuleTarget } from '../../domain/rule-decision.js';
import { obstacleOf } from './obstacle.js';
import type { RuleAction } from './rule.js';
import { type NumberedRule, type RuleSet, titleOf } from './rule-set.js';

/**
 * The decision of the first rule that applies and leads somewhere; see `RuleSource.decide`. `usable`,
 * what the caller may use, is asked for only when a rule applies.
 */
export function decide(
  set: RuleSet,
  question: RuleQuestion,
  usable: () => AgentIndex,
): RuleDecision | undefined {
  for (const numbered of set.applying(question)) {
    const { rule } = numbered;
    const obstacle = obstacleOf(rule.target, usable());
    if (obstacle === undefined) return decisionOf(numbered, set.why(numbered, question));
    const why = `${titleOf(numbered)} applies, but ${obstacle}.`;
    const { to = {} } = destinationOf(rule.target);
    question.passOver?.({ rule: { id: rule.id, name: rule.name, why }, to });
  }
  return undefined;
}

/** What a rule that applies comes to. */
export function decisionOf({ rule }: NumberedRule, why: string): RuleDecision {
  const { id, name, target } = rule;
  const { strategy, require, quorum, deadlineSeconds, maxAgents, maxCalls } = target;
  const options = { strategy, require, quorum, deadlineSeconds, maxAgents, maxCalls };
  return {
    rule: { id, name },
    why,
    target: destinationOf(target),
    options: Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
  };
}

function destinationOf({
  agentId,
  skillId,
  tags,
  match,
  composite,
  reject,
}: RuleAction): RuleTarget {
  if (reject !== undefined) return { reject };
  if (agentId !== undefined) return { to: { agentId } };
  if (composite !== undefined)
    return { to: { skillId: hubSkillId(COMPOSITE_AGENT_ID, composite) } };
  if (skillId !== undefined) return { to: { skillId } };
  return { to: { tags: tags ?? [], ...(match !== undefined && { match }) } };
}
