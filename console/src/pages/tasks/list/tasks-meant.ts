import { client } from '../../../api/client';
import { PAGE_ROWS } from '../../../api/pages';
import type { Span } from '../../../ui/time-range';
import { queryOf, STATES, statesOf, type TaskSearch, type TaskState } from './task-search';

/** Tasks with which something is done in one go, at most. */
export const MOST_AT_ONCE = 1_000;

/** The tasks of such states that fit, the first of them where there are more. */
export async function tasksMeant(
  search: TaskSearch,
  span: Span,
  isFor: (state: TaskState) => boolean,
  signal: AbortSignal,
): Promise<{ readonly ids: readonly string[]; readonly isLeast: boolean }> {
  const chosen = statesOf(search.state);
  const state = STATES.filter(
    (each) => isFor(each) && (chosen.length === 0 || chosen.includes(each)),
  );
  const ids: string[] = [];
  let cursor: string | null = null;
  if (state.length === 0) return { ids, isLeast: false };
  do {
    const query = { ...queryOf(search, span), state: [...state], limit: PAGE_ROWS };
    const { data } = (await client.GET('/api/v1/tasks', {
      params: { query: cursor === null ? query : { ...query, cursor } },
      signal,
    })) as { data?: { items: readonly { id: string }[]; nextCursor: string | null } };
    ids.push(...data!.items.map(({ id }) => id));
    cursor = data!.nextCursor;
  } while (cursor !== null && ids.length <= MOST_AT_ONCE);
  return {
    ids: ids.slice(0, MOST_AT_ONCE),
    isLeast: cursor !== null || ids.length > MOST_AT_ONCE,
  };
}
