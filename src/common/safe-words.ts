import { scrub } from './scrub.js';

/** Characters that are kept of what a stranger says. */
export const MAX_WORDS = 500;

/** What would break a line, or turn the direction of what stands behind it. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/**
 * What a stranger says as it may be shown: without `secrets` and anything like credentials, control characters
 * escaped, at most `max` characters.
 */
export function safeWords(text: string, secrets: readonly string[], max = MAX_WORDS): string {
  const shown = scrub(text.slice(0, 4 * MAX_WORDS), secrets).replace(CONTROLS, escaped);
  return shown.slice(0, max).replace(/[\uD800-\uDBFF]$/, '');
}

/** The secrets among headers: whole, and without the scheme before them (`Bearer abc` may come back as `abc`). */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers).flatMap((value) => [value, value.split(' ').at(-1) ?? '']);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
