import { withoutCredentials } from '../../common/credential-texts.js';

/** The longest text of an entry: ids of the hub are shorter; what a caller has made up may be of any length. */
const MAX_TEXT = 200;

/** What has no place in an id, and could do something to the terminal or the column it is in. */
const NOT_PLAIN = /[\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/** Most texts are ids and times of the hub, in which there can be nothing of either. */
const HARMLESS = /^[\da-fTZ:.-]*$/;

/** A text from outside as an entry may hold it: of bounded length, without credentials and control characters. */
export function bounded(text: string): string {
  if (text.length <= MAX_TEXT && HARMLESS.test(text)) return text;
  const shown = withoutCredentials(text.slice(0, 4 * MAX_TEXT));
  return shown.slice(0, MAX_TEXT).replace(NOT_PLAIN, '?');
}
