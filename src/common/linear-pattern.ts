import { RE2JS, RE2JSSyntaxException } from 're2js';

/**
 * A compiled pattern of an operator. What it does takes time and memory in proportion to its size and the length of the
 * text, whatever both are.
 */
export interface LinearPattern {
  /** The instructions of its program. */
  readonly size: number;
  /** The first match somewhere in the text; undefined without any. */
  find(text: string): string | undefined;
  /** The text with `shown` in place of each match. */
  replaceAll(text: string, shown: string): string;
}

/** What a pattern may be: its characters, and the instructions of its program. */
export interface PatternLimits {
  readonly pattern: number;
  readonly instructions: number;
}

/** Why a pattern cannot be used, in the words of the engine; undefined when it can. */
export function faultOfLinear(
  pattern: string,
  ignoreCase: boolean,
  limits: PatternLimits,
): string | undefined {
  if (pattern.length > limits.pattern) return `must be at most ${limits.pattern} characters long`;
  try {
    const { size } = linearPattern(pattern, ignoreCase);
    const most = limits.instructions;
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
 * The compiled form of a pattern. The engine's matcher of positions, not its quicker test: that keeps a state for whatever
 * it comes across, up to 8 MiB for a pattern, and making them costs several times as much in texts made for it.
 */
export function linearPattern(pattern: string, ignoreCase: boolean): LinearPattern {
  const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  return {
    size: compiled.programSize(),
    find(text) {
      const matcher = compiled.matcher(text);
      return matcher.find() ? (matcher.group() ?? '') : undefined;
    },
    replaceAll(text, shown) {
      return compiled.matcher(text).replaceAll(shown);
    },
  };
}
