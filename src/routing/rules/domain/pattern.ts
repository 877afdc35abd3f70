import {
  faultOfLinear,
  type LinearPattern,
  linearPattern,
} from '../../../common/linear-pattern.js';
import { RULE_LIMITS, type Rule, type TextCondition } from './rule.js';

/** A compiled pattern of a rule. */
export type Pattern = Pick<LinearPattern, 'size' | 'find'>;

/** Why a pattern cannot be used, in the words of the engine; undefined when it can. */
export function faultOfPattern({ pattern, ignoreCase = false }: TextCondition): string | undefined {
  return faultOfLinear(pattern, ignoreCase, RULE_LIMITS);
}

/**
 * Why the patterns of these rules cannot be searched for together, as every message may have to;
 * undefined when they can. Each is valid in itself. Disabled rules are not searched for.
 */
export function faultOfPatterns(
  rules: readonly Pick<Rule, 'enabled' | 'conditions'>[],
  patterns: Patterns,
): string | undefined {
  const sizes = rules.map(({ enabled, conditions: { text } }) =>
    enabled && text ? patterns.of(text).size : 0,
  );
  const sum = sizes.reduce((one, other) => one + other, 0);
  const most = RULE_LIMITS.allInstructions;
  if (sum <= most) return undefined;
  return (
    `makes ${sum} instructions with the patterns of the other rules, where ${most} are allowed for ` +
    'all of them; use smaller counts, join words in one pattern (one|two), or disable a rule'
  );
}

/**
 * Compiled patterns, each once: compiling takes up to milliseconds, and most rules stay as they are
 * when one of them changes.
 */
export class Patterns {
  readonly compiled = new Map<string, Pattern>();

  /** Those in `before` are not compiled again. */
  constructor(private readonly before: ReadonlyMap<string, Pattern> = new Map()) {}

  /** The compiled form of a pattern that {@link faultOfPattern} finds no fault with. */
  of(condition: TextCondition): Pattern {
    const key = patternText(condition);
    const known = this.compiled.get(key) ?? this.before.get(key);
    const pattern = known ?? linearPattern(condition.pattern, condition.ignoreCase ?? false);
    this.compiled.set(key, pattern);
    return pattern;
  }
}

/** The pattern as sentences show it. */
export function patternText({ pattern, ignoreCase = false }: TextCondition): string {
  return `/${pattern}/${ignoreCase ? 'i' : ''}`;
}
