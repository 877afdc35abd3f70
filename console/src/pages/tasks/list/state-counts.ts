import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client } from '../../../api/client';
import { every } from '../../../api/pace';
import type { Span } from '../../../ui/time-range';
import { queryOf, type TaskSearch } from './task-search';

const EVERY_MS = 15_000;

/** How many tasks fit the other filters, by state: `12`, `1,000+`; empty until it is known. */
export function useStateCounts(search: TaskSearch, span: Span): ReadonlyMap<string, string> {
  const query = queryOf(search, span);
  delete query.state;
  const counts = useQuery({
    queryKey: ['tasks', 'counts', query],
    queryFn: async ({ signal }) =>
      (await client.GET('/api/v1/tasks:count', { params: { query }, signal })).data!,
    refetchInterval: every(EVERY_MS),
    placeholderData: keepPreviousData,
  });
  return new Map(
    counts.data?.states.map(({ state, count, isLeast }) => [
      state,
      `${count.toLocaleString('en')}${isLeast ? '+' : ''}`,
    ]),
  );
}
