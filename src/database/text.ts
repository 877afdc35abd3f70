/** Half of a surrogate pair: not UTF-8, so no `text` column holds it. */
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
const LONE_SURROGATES = new RegExp(LONE_SURROGATE, 'g');
const NUL = '\u0000';

/**
 * Text from outside as a plain column can hold it on both databases: without U+0000, and with
 * U+FFFD for each lone surrogate. Not for JSON columns, where JSON.stringify escapes both.
 */
export function storable(text: string): string;
export function storable(text: string | null): string | null;
export function storable(text: string | null): string | null {
  if (text === null) return null;
  const whole = text.includes(NUL) ? text.replaceAll(NUL, '') : text;
  return LONE_SURROGATE.test(whole) ? whole.replace(LONE_SURROGATES, '\uFFFD') : whole;
}
