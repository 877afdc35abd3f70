import type { Rule, RuleAction, RuleConditions } from './domain/rule.js';

/** A rule as an operator writes it. */
export interface WrittenRule {
  /** Default: made of its name. */
  readonly id?: string | undefined;
  readonly name: string;
  readonly enabled?: boolean | undefined;
  readonly conditions?: RuleConditions | undefined;
  readonly target: RuleAction;
}

/** The rule that was written, as yet without a version and times. */
export function ruleOf(
  written: WrittenRule & { readonly id: string },
  source: Rule['source'],
): Rule {
  const { id, name, enabled = true } = written;
  const conditions = plain(written.conditions ?? {});
  const target = plain(written.target);
  const unsaved = { version: 0, createdAt: null, updatedAt: null };
  return { id, name, enabled, conditions, target, source, ...unsaved };
}

/** A DTO as plain objects. */
export function plain<T>(value: T): T {
  return structuredClone(value);
}
