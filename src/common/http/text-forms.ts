import { ID as ID_PATTERN } from '../id-pattern.js';
import { ADDRESSABLE, ADDRESSABLE_RULE } from '../organization-id.js';

/** What texts of the admin API have to look like. */
export interface TextForm {
  readonly pattern: RegExp;
  /** What is said of one that does not, behind its name. */
  readonly rule: string;
  /** Whether the pattern is shown in the API's description. */
  readonly isShown?: boolean;
}

/** Something to see, and nothing that turns the direction of what stands behind it. */
const VISIBLE = '(?=[^]*[\\p{L}\\p{N}\\p{P}\\p{S}])';
const UNSAFE = '\\p{Cc}\\p{Cs}\\u202A-\\u202E\\u2066-\\u2069';

/** An id that operators give. */
export const ID: TextForm = {
  pattern: ID_PATTERN,
  rule: 'must be 1 to 63 of a-z, 0-9 and -',
  isShown: true,
};

/** A tag of a skill or an agent. */
export const TAG = line(100);

/** A name for people to read, on one line. */
export const NAME = line(200);

/** The id of an organization. */
export const ORGANIZATION_ID: TextForm = {
  pattern: new RegExp(`^${ADDRESSABLE}${NAME.pattern.source.slice(1)}`, 'u'),
  rule: `must be 1 to 200 characters, ${ADDRESSABLE_RULE}, without control characters`,
};

/** A sentence for people to read, on one line. */
export const SENTENCE = line(500);

/** Sentences for people to read; their length is limited elsewhere. */
export const TEXT: TextForm = {
  pattern: new RegExp(`^${VISIBLE}(?:[\\t\\r\\n]|[^${UNSAFE}])+$`, 'u'),
  rule: 'must hold some text, without control characters other than line breaks',
};

function line(maxLength: number): TextForm {
  return {
    pattern: new RegExp(`^${VISIBLE}[^${UNSAFE}]{1,${maxLength}}$`, 'u'),
    rule: `must be 1 to ${maxLength} characters, not only blanks, without control characters`,
  };
}
