import { issueCursor, readCursor } from '../../common/cursor.js';
import type { Page } from '../../common/page.js';

/** One page of the names of a list, in order; the cursor is one of the same list. */
export function pageOf(
  list: string,
  names: readonly string[],
  limit: number,
  cursor: string | undefined,
): Page<string> {
  const after = cursor === undefined ? null : readCursor(list, cursor, () => true);
  const rest = after === null ? names : names.filter((name) => name > after);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  const isLast = items.length === rest.length || last === undefined;
  return { items, nextCursor: isLast ? null : issueCursor(list, last) };
}
