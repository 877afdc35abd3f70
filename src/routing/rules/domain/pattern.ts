import { RE2JS, RE2JSSyntaxException } from 're2js';
import { RULE_LIMITS, type Rule, type TextCondition } from './rule.js';

/**
 * A compiled pattern. Its searches take time and memory in proportion to its size and the length of the
 * text, whatever both are.
 */
export interface Pattern {
  /** The instructions of its program. */
  readonly size: number;
  /** The first match somewhere in the text; undefined without any. */
  find(text: string): string | undefined;
}

/** Why a pattern cannot be used, in the words of the engine; undefined when it can. */
export function faultOfPattern(condition: TextCondition): string | undefined {
  const { pattern } = condition;
  if (pattern.length > RULE_LIMITS.pattern) {
    return `must be at most ${RULE_LIMITS.pattern} characters long`;
  }
  try {
    const { size } = compile(condition);
    const most = RULE_LIMITS.instructions;
    if (size <= most) return undefined;
    return `is too large: ${size} instructions where ${most} are allowed; use smaller counts, or .* in their place`;
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) {
      return `is not a regular expression in RE2 syntax: ${error.message}`;
    }
    throw error;
  }
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
    const pattern = known ?? compile(condition);
    this.compiled.set(key, pattern);
    return pattern;
  }
}

/** The pattern as sentences show it. */
export function patternText({ pattern, ignoreCase = false }: TextCondition): string {
  return `/${pattern}/${ignoreCase ? 'i' : ''}`;
}

/**
 * The engine's matcher of positions, not its quicker test: that keeps a state for whatever it comes
 * across, up to 8 MiB for a pattern, and making them costs several times as much in texts made for it.
 */
function compile({ pattern, ignoreCase = false }: TextCondition): Pattern {
  const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  return {
    size: compiled.programSize(),
    find(text) {
      const matcher = compiled.matcher(text);
      return matcher.find() ? (matcher.group() ?? '') : undefined;
    },
  };
}
