import { ValidateIf } from 'class-validator';

/*
 * What members of bodies of the admin API have in common, as arguments of `@Matches` and such.
 */

/** Of `ID`. */
export const ID_RULE = { message: '$property must be 1 to 63 of a-z, 0-9 and -' };

/** Something to see, and nothing that turns the direction of what stands behind it. */
const VISIBLE = '(?=[^]*[\\p{L}\\p{N}\\p{P}\\p{S}])';
const UNSAFE = '\\p{Cc}\\p{Cs}\\u202A-\\u202E\\u2066-\\u2069';

/** A tag of a skill or an agent. */
export const TAG = line(100);
export const TAG_RULE = {
  each: true,
  message: 'each must be 1 to 100 characters, not only blanks, without control characters',
};

/** A name for people to read, on one line. */
export const NAME = line(200);
export const NAME_RULE = {
  message: '$property must be 1 to 200 characters, not only blanks, without control characters',
};
export const NAMES_RULE = {
  each: true,
  message: 'each must be 1 to 200 characters, not only blanks, without control characters',
};

/** A sentence for people to read, on one line. */
export const SENTENCE = line(500);
export const SENTENCE_RULE = {
  message: '$property must be 1 to 500 characters, not only blanks, without control characters',
};

/** Sentences for people to read; their length is limited elsewhere. */
export const TEXT = new RegExp(`^${VISIBLE}(?:[\\t\\r\\n]|[^${UNSAFE}])+$`, 'u');
export const TEXT_RULE = {
  message: '$property must hold some text, without control characters other than line breaks',
};

function line(maxLength: number): RegExp {
  return new RegExp(`^${VISIBLE}[^${UNSAFE}]{1,${maxLength}}$`, 'u');
}

/** The member may be absent. Null is not a way of saying nothing here. */
export const IfGiven = () => ValidateIf((_, value) => value !== undefined);
