import { OF_BACKLOG, WANTED } from '../domain/dead-causes.js';

/** Without dead letters that have one of these reasons, or one of them with the entries of the log it is of. */
export function withoutReasons(reasons: readonly string[]): string {
  const is = reasons.map((each) => `'${each}'`).join(', ');
  const begins = reasons.map((each) => `COALESCE(reason, '') NOT LIKE '${each}${OF_BACKLOG}%'`);
  return [`COALESCE(reason, '') NOT IN (${is})`, ...begins].join(' AND ');
}

/**
 * Dead letters that are lost: neither tests nor what the owner of the webhook ended. Said in these words, for the
 * indexes of them are used for no others.
 */
export const LOST = `state = 'dead' AND kind <> 'test' AND ${withoutReasons(WANTED)}`;

/** Those of all organizations: true of every one, and said for the index of no single organization. */
export const LOST_OF_ALL = `${LOST} AND id <> ''`;

/** The same of few rows, said so that the indexes of the others do not serve. */
export const LOST_OF_FEW = `NOT (NOT (${LOST}))`;
