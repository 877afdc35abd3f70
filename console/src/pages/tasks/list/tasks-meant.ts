import { client, type Schema } from '../../../api/client';
import { NEW_ANSWER } from '../../../api/own-changes';
import { readPages } from '../../../api/read-pages';
import type { Span } from '../../../api/time-span';
import type { ManyAction } from './many-tasks';
import { queryOf, STATES, statesOf, type TaskSearch } from './task-search';

/** Tasks with which something is done in one go, at most. */
export const MOST_AT_ONCE = 1_000;

/** Tasks, and which of them were retried already. */
export interface FoundTasks {
  readonly ids: readonly string[];
  readonly retried: readonly string[];
  /** There are more. */
  readonly isLeast: boolean;
}

/** The tasks with which this can be done that fit, the first of them where there are more. */
export async function tasksMeant(
  search: TaskSearch,
  span: Span,
  { isFor, leavesOutRetried }: Pick<ManyAction, 'isFor' | 'leavesOutRetried'>,
  signal: AbortSignal,
): Promise<FoundTasks> {
  const chosen = statesOf(search.state);
  const state = STATES.filter(
    (each) => isFor(each) && (chosen.length === 0 || chosen.includes(each)),
  );
  if (state.length === 0) return { ids: [], retried: [], isLeast: false };
  const { rows, hasMore } = await readPages(
    MOST_AT_ONCE,
    (page) =>
      client.GET('/api/v1/tasks', {
        params: { query: { ...queryOf(search, span), state: [...state], ...page } },
        headers: NEW_ANSWER,
        signal,
      }),
    // Else those that were retried would hide the others from the next go.
    ({ retriedAs }) => !leavesOutRetried || retriedAs === null,
  );
  return { ids: rows.map(({ id }) => id), retried: retriedOf(rows), isLeast: hasMore };
}

export function retriedOf(tasks: readonly Schema<'TaskDto'>[]): string[] {
  return tasks.filter(({ retriedAs }) => retriedAs !== null).map(({ id }) => id);
}
