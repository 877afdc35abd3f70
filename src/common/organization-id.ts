/**
 * At the start of a pattern for the id of an organization: what it never has, since it stands in paths, before a colon and
 * a verb, and clients leave out blanks at its ends and follow `.` and `..`.
 */
export const ADDRESSABLE = '(?![^]*[:/]|\\s|[^]*\\s$|\\.{1,2}$)';

/** What that keeps out, as it is told. */
export const ADDRESSABLE_RULE = 'without colons, slashes and blanks at its ends, not . or ..';
