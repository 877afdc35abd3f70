import { RE2JS, RE2JSSyntaxException } from 're2js';
import { RULE_LIMITS, type TextCondition } from './rule.js';

/**
 * How large the program of a pattern may be: its instructions. At worst the time of a search grows with
 * it times the length of the text, and counted repetitions such as `\pL{1000}` blow it up.
 */
const MAX_INSTRUCTIONS = 500;

/** A compiled pattern: a linear-time search, whatever the pattern and the text are. */
export interface Pattern {
  /** Whether it matches somewhere in the text. */
  test(text: string): boolean;
}

/** Why a pattern cannot be used, in the words of the engine; undefined when it can. */
export function faultOfPattern(condition: TextCondition): string | undefined {
  const { pattern } = condition;
  if (pattern.length > RULE_LIMITS.pattern) {
    return `must be at most ${RULE_LIMITS.pattern} characters long`;
  }
  try {
    const size = compile(condition).programSize();
    if (size <= MAX_INSTRUCTIONS) return undefined;
    return `is too large: ${size} instructions where ${MAX_INSTRUCTIONS} are allowed; use smaller counts`;
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) {
      return `is not a regular expression in RE2 syntax: ${error.message}`;
    }
    throw error;
  }
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

function compile({ pattern, ignoreCase = false }: TextCondition): RE2JS {
  return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
}
