import { invalidField } from '../../common/hub-error.js';
import type { Page } from '../../common/page.js';

/** One page of names in order; the cursor is the last name of the page before. */
export function pageOf(
  names: readonly string[],
  limit: number,
  cursor: string | undefined,
): Page<string> {
  const after = cursor === undefined ? null : nameOf(cursor);
  const rest = after === null ? names : names.filter((name) => name > after);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  const isLast = items.length === rest.length || last === undefined;
  return { items, nextCursor: isLast ? null : Buffer.from(last).toString('base64url') };
}

function nameOf(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString();
  if (Buffer.from(name).toString('base64url') === cursor) return name;
  throw invalidField('cursor', 'is not a cursor of this list');
}
