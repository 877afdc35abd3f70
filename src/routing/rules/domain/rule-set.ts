import type { RuleQuestion } from '../../domain/rule-decision.js';
import { type Condition, conditionsOf, tagsOf } from './conditions.js';
import { type Pattern, Patterns } from './pattern.js';
import type { Rule } from './rule.js';

/** A rule of a set, with its place in it. */
export interface NumberedRule {
  /** From 1, in the order in which the rules are asked; disabled ones count. */
  readonly no: number;
  readonly rule: Rule;
}

interface CompiledRule extends NumberedRule {
  readonly conditions: readonly Condition[];
}

/** The operator's rules in their order, compiled once, so that a message costs no compiling. */
export class RuleSet {
  private readonly compiled: readonly CompiledRule[];
  private readonly patterns: ReadonlyMap<string, Pattern>;

  /** The patterns of `rules` are valid. What `before` has compiled is not compiled again. */
  constructor(
    readonly rules: readonly Rule[],
    before?: RuleSet,
  ) {
    const patterns = before?.morePatterns() ?? new Patterns();
    this.compiled = rules.map((rule, index) => ({
      no: index + 1,
      rule,
      conditions: conditionsOf(rule.conditions, patterns),
    }));
    this.patterns = patterns.compiled;
  }

  /** The compiled patterns, to which others can be added. */
  morePatterns(): Patterns {
    return new Patterns(this.patterns);
  }

  /** Every rule with its place. */
  get numbered(): readonly NumberedRule[] {
    return this.compiled;
  }

  /**
   * The rules that apply to a message, in their order. It is looked for the next one only when that
   * is asked for: as a rule the first one decides.
   */
  *applying(question: RuleQuestion): Generator<NumberedRule> {
    for (const each of this.compiled) {
      if (each.rule.enabled && isMeant(each, question) && holds(each, question)) yield each;
    }
  }

  /** Why a rule applies, as a sentence for the operator and the caller. */
  why({ no, rule }: NumberedRule, question: RuleQuestion): string {
    const clauses = this.conditionsOf(no).map((condition) => condition.yes(question));
    const reasons = clauses.length > 0 ? clauses.join(', and ') : 'it has no conditions';
    return `${titleOf({ no, rule })}: ${reasons}.`;
  }

  /** Why a rule does not apply, as a sentence for the operator; undefined when it does. */
  whyNot({ no, rule }: NumberedRule, question: RuleQuestion): string | undefined {
    if (!rule.enabled) return 'It is disabled.';
    if (!isMeant({ no, rule }, question)) {
      const tags = tagsOf(question).join(', ');
      return `No skill carries the tags asked for (${tags}), and the rule has no condition on tags.`;
    }
    const failed = this.conditionsOf(no).filter((condition) => !condition.holds(question));
    if (failed.length === 0) return undefined;
    return sentence(failed.map((condition) => condition.no(question)).join('; '));
  }

  private conditionsOf(no: number): readonly Condition[] {
    return this.compiled[no - 1]?.conditions ?? [];
  }
}

/** How a rule is named in sentences. */
export function titleOf({ no, rule }: NumberedRule): string {
  return `Rule "${rule.name}" (no. ${no})`;
}

/** Tags that no skill has only match rules: only a rule that looks at tags may answer it. */
function isMeant({ rule }: NumberedRule, { tags }: RuleQuestion): boolean {
  return tags.length === 0 || rule.conditions.tags !== undefined;
}

function holds({ conditions }: CompiledRule, question: RuleQuestion): boolean {
  return conditions.every((condition) => condition.holds(question));
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
