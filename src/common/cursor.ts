import { invalidField } from './hub-error.js';
import type { Page } from './page.js';

/**
 * The opaque `nextCursor` of a list that is ordered by id: its last id, and the name of the list, so that a
 * cursor of another one is not taken for it.
 */
export function issueCursor(list: string, id: string): string {
  return Buffer.from(`${list}:${id}`).toString('base64url');
}

/** The id of a cursor that {@link issueCursor} made for this list; throws INVALID_PARAMS for any other text. */
export function readCursor(list: string, cursor: string, isId: (text: string) => boolean): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const id = text.slice(list.length + 1);
  if (!isId(id) || issueCursor(list, id) !== cursor) {
    throw invalidField('cursor', 'is not a cursor of this list');
  }
  return id;
}

/** The page of `limit` items of which one more than that was asked for, if there is one. */
export function pageOf<T>(
  list: string,
  found: readonly T[],
  limit: number,
  idOf: (item: T) => string,
): Page<T> {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last ? issueCursor(list, idOf(last)) : null };
}
