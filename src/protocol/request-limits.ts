/*
 * How much a message may name. What is named is compared with what agents say of themselves, so that these limits
 * hold wherever a message is routed.
 */

/** The most parts of a message. */
export const MAX_PARTS = 1000;
/** The most extensions, reference ids, output modes and schemes that a message, and extensions that its headers, may name. */
export const MAX_NAMED = 100;
/** The longest name of a media type, an extension or a file, in UTF-16 units. */
export const MAX_NAME_LENGTH = 4096;
