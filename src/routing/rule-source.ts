import type { RuleDecision, RuleQuestion } from './domain/rule-decision.js';

/**
 * The operator's rules. They are asked when the client names no agent and no skill, when no skill
 * carries the tags it names, and when its context belongs to no agent; before the text is looked at.
 * They answer from memory, on the path of every message.
 */
export abstract class RuleSource {
  /**
   * The decision of the first rule that applies and leads somewhere for this principal; undefined
   * when none does. A rule whose target finds no agent is passed over, see `passOver`.
   */
  abstract decide(question: RuleQuestion): RuleDecision | undefined;
}

/** How operators name rules. */
export abstract class RuleNames {
  /** The ids of the rules with this id or name. */
  abstract idsOf(idOrName: string): readonly string[];
}
