/*
 * What the validation library says of a member, in the words of this API. Rules with a text of their own keep it.
 */

/** Its phrases, as they stand behind the name of the member. */
const PHRASES: readonly (readonly [phrase: RegExp, words: string])[] = [
  [/^must be one of the following values: (.+)$/, 'must be one of $1'],
  [/^must be an integer number$/, 'must be a whole number'],
  [/^must be a number conforming to the specified constraints$/, 'must be a number'],
  [/^must be a positive number$/, 'must be a number above 0'],
  [/^must be a boolean value$/, 'must be true or false'],
  [/^must be a valid ISO 8601 date string$/, 'must be a time such as 2026-01-31T12:00:00Z'],
  [/^must be longer than or equal to 1 characters$/, 'must not be empty'],
  [/^must be longer than or equal to (\d+) characters$/, 'must be at least $1 characters long'],
  [/^must be shorter than or equal to (\d+) characters$/, 'must be at most $1 characters long'],
  [
    /^must be longer than or equal to (\d+) and shorter than or equal to (\d+) characters$/,
    'must be $1 to $2 characters long',
  ],
  [/^must contain no more than (\d+) elements$/, 'must have at most $1 entries'],
  [/^must contain at least (\d+) elements$/, 'must have at least $1 entries'],
  [/^must not be greater than (\S+)$/, 'must be at most $1'],
  [/^must not be less than (\S+)$/, 'must be at least $1'],
  [/^should not be empty$/, 'must not be empty'],
];
const NESTED = /^(each value in )?nested property \S+ must be either object or array$/;
const ONLY = /^must be one of ([^,]+)$/;

/** The text without the name of the member, which stands before it anyway. */
export function plainWords(text: string, member: string): string {
  // Of an entry it names the list.
  if (NESTED.test(text)) return 'must be an object';
  const start = new RegExp(`^(each value in )?(?:property )?${escape(member)} `);
  const [all = '', each] = start.exec(text) ?? [];
  const phrase = text.slice(all.length);
  const [pattern, words] = PHRASES.find(([one]) => one.test(phrase)) ?? [];
  const plain = pattern === undefined ? phrase : phrase.replace(pattern, words ?? '');
  return (each === undefined ? '' : 'each ') + plain.replace(ONLY, 'must be $1');
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
