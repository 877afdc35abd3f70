import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client } from '../../../api/client';
import { every } from '../../../api/pace';
import { spanOf } from '../../../api/time-span';
import { queryOf, type TaskSearch } from './task-search';

const EVERY_MS = 15_000;

/** How many tasks fit the other filters, by state: `12`, `1,000+`; empty until it is known. */
export function useStateCounts(search: TaskSearch): ReadonlyMap<string, string> {
  const others: TaskSearch = { ...search, state: undefined };
  const counts = useQuery({
    queryKey: ['tasks', 'counts', others],
    queryFn: async ({ signal }) => {
      const query = queryOf(others, spanOf(others));
      return (await client.GET('/api/v1/tasks:count', { params: { query }, signal })).data!;
    },
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
