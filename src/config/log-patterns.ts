import { faultOfLinear, linearPattern } from '../common/linear-pattern.js';
import { readList } from './setting-kinds.js';
import { Setting, type SettingOptions } from './setting.js';

/**
 * Bounds of the patterns that lines of the log are searched for. At worst a search takes some 25 ns for each instruction
 * and each character that is looked at.
 */
export const LOG_PATTERN_LIMITS = {
  patterns: 20,
  /** Characters of one. */
  pattern: 500,
  /** Of one, and of all together. */
  instructions: 200,
} as const;

/** A setting that lists regular expressions in RE2 syntax. */
export function logPatterns(
  options: SettingOptions<readonly string[]>,
): Setting<readonly string[]> {
  const { patterns, pattern, instructions } = LOG_PATTERN_LIMITS;
  return new Setting<readonly string[]>(
    { ...options, faults: faultsOf },
    `a list of up to ${patterns} regular expressions in RE2 syntax, ${pattern} characters each; together at most ${instructions} instructions`,
    (input, source) => {
      const list = readList(input, source);
      return list !== undefined && faultsOf(list).length === 0 ? (list as string[]) : undefined;
    },
  );
}

function faultsOf(input: unknown): string[] {
  const list = readList(input, 'environment') ?? [];
  if (list.length > LOG_PATTERN_LIMITS.patterns) {
    return [`has ${list.length} patterns where ${LOG_PATTERN_LIMITS.patterns} are allowed`];
  }
  const faults = list.flatMap((each, index) => {
    const fault = faultOf(each);
    return fault === undefined ? [] : [`[${index}]: ${fault}`];
  });
  if (faults.length > 0) return faults;
  const sizes = (list as string[]).map((each) => linearPattern(each, false).size);
  const sum = sizes.reduce((one, other) => one + other, 0);
  if (sum <= LOG_PATTERN_LIMITS.instructions) return [];
  return [
    `has ${sum} instructions where ${LOG_PATTERN_LIMITS.instructions} are allowed for all patterns`,
  ];
}

function faultOf(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string' || pattern === '') return 'is not a text';
  const fault = faultOfLinear(pattern, false, LOG_PATTERN_LIMITS);
  if (fault !== undefined) return fault;
  return linearPattern(pattern, false).find('') === undefined ? undefined : 'matches an empty text';
}
