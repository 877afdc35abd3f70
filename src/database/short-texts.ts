import type { Transformer } from './columns.js';

/*
 * JSON as columns keep it: what such texts say again and again is one control character there, which the hub's JSON never
 * has (in strings they are escaped, and it writes no white space). A text without any is what it says: so is what was
 * written before, or by hand.
 */

/** All control characters but white space, and U+0000, which PostgreSQL does not store. */
const CODES = Array.from({ length: 31 }, (_, i) => String.fromCharCode(i + 1)).filter(
  (code) => !'\t\n\r'.includes(code),
);

/** Codes that stand for what is different in each row; see {@link ShortTexts}. */
export const ROW_CODES = CODES.slice(0, 2) as [string, string];
const FRAGMENT_CODES = CODES.slice(ROW_CODES.length);

/** Longer texts have more to say than fragments. */
const MOST_CHARACTERS = 2048;

/** Whether a text is made shorter, or may have been: others are what they say. */
export function mayBeShortened({ length }: string): boolean {
  return length <= MOST_CHARACTERS;
}

/**
 * The fragments that texts of one column repeat. Rows hold places in this list: a further one comes last, and none is
 * changed or taken out. They may have the two codes in them that stand for what is different in each row, which is for
 * the caller to put in place.
 */
export class ShortTexts {
  private readonly codes: ReadonlyMap<string, string>;
  private readonly fragments: ReadonlyMap<string, string>;

  constructor(private readonly all: readonly string[]) {
    if (all.length > FRAGMENT_CODES.length) throw new Error('there are not so many codes');
    this.codes = new Map(all.map((fragment, i) => [fragment, FRAGMENT_CODES[i]!]));
    this.fragments = new Map(all.map((fragment, i) => [FRAGMENT_CODES[i]!, fragment]));
  }

  /** `expected`: the fragments that are looked for, the longer of two that overlap first. Default: all. */
  shortened(text: string, expected = this.all): string {
    if (!mayBeShortened(text)) return text;
    let short = text;
    for (const fragment of expected) short = short.replaceAll(fragment, this.codes.get(fragment)!);
    return short;
  }

  restored(text: string): string {
    if (!mayBeShortened(text)) return text;
    return text.replaceAll(CODED, (code) => this.fragments.get(code) ?? code);
  }
}

const CODED = new RegExp(`[${FRAGMENT_CODES.join('')}]`, 'g');

/** `JSON_TEXT` of a column whose texts repeat these fragments. */
export function shortJson(fragments: readonly string[]): Transformer {
  const texts = new ShortTexts(fragments);
  return {
    to: (value: unknown) => (value === null ? null : texts.shortened(JSON.stringify(value))),
    from: (text: string | null): unknown =>
      text === null ? null : JSON.parse(texts.restored(text)),
  };
}
