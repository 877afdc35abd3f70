import type { AgentIndex } from '../../domain/agent-index.js';
import type { RuleQuestion } from '../../domain/rule-decision.js';
import { obstacleOf } from './obstacle.js';
import type { RuleSet } from './rule-set.js';

/**
 * - `decides`: it is the first that applies and leads somewhere.
 * - `passed-over`: it applies, but finds no agent.
 * - `does-not-apply`: one of its conditions does not hold, or it is disabled.
 * - `not-evaluated`: one before it decides.
 */
export const RULE_OUTCOMES = ['decides', 'passed-over', 'does-not-apply', 'not-evaluated'] as const;
export type RuleOutcome = (typeof RULE_OUTCOMES)[number];

/** What became of one rule, for an operator who tries rules. */
export interface RuleReport {
  readonly id: string;
  readonly name: string;
  /** From 1. */
  readonly position: number;
  readonly outcome: RuleOutcome;
  /** One sentence. */
  readonly why: string;
}

/** What becomes of every rule of a set for one message. */
export function outcomesOf(
  set: RuleSet,
  question: RuleQuestion,
  usable: () => AgentIndex,
): readonly RuleReport[] {
  let decider: number | undefined;
  return set.numbered.map((numbered) => {
    const { no, rule } = numbered;
    const report = { id: rule.id, name: rule.name, position: no };
    if (decider !== undefined) {
      return { ...report, outcome: 'not-evaluated', why: `Rule no. ${decider} decides.` };
    }
    const whyNot = set.whyNot(numbered, question);
    if (whyNot !== undefined) return { ...report, outcome: 'does-not-apply', why: whyNot };
    const obstacle = obstacleOf(rule.target, usable());
    if (obstacle !== undefined) {
      return { ...report, outcome: 'passed-over', why: `It applies, but ${obstacle}.` };
    }
    decider = no;
    return { ...report, outcome: 'decides', why: set.why(numbered, question) };
  });
}
