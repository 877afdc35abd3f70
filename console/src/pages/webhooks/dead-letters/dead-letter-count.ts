import { useQuery } from '@tanstack/react-query';
import { client, type Schema } from '../../../api/client';
import { every } from '../../../api/pace';
import type { DeadLetterQuery } from '../deliveries/delivery-query';
import type { Span } from '../../../api/time-span';
import { PUSH } from '../keys';

/** Dead letters that a count goes to. */
const MOST_COUNTED = 10_000;
const EVERY_MS = 10_000;

export type Count = Schema<'DeadLetterCountDto'>;

/** How many dead letters fit. */
export async function countMatching(query: DeadLetterQuery, signal: AbortSignal): Promise<Count> {
  const { data } = await client.GET('/api/v1/push/dead-letters:count', {
    params: { query: { ...query, most: MOST_COUNTED } },
    signal,
  });
  return data!;
}

/** Of whoever's tasks they are, and how many of them one sees. */
export interface LostCount extends Count {
  readonly own: number;
}

/** How many events of a receiver are lost, at any time or were in this: its dead letters without those that the owner of a webhook ended. */
export async function countLost(
  endpoint: string,
  signal: AbortSignal,
  span: Span = {},
): Promise<LostCount> {
  const { data } = await client.GET('/api/v1/push/dead-letters:by-receiver', {
    params: { query: { endpoint, most: MOST_COUNTED, ...span } },
    signal,
  });
  const { receivers, total, isLeast } = data!;
  return { count: total, own: Math.min(receivers[0]?.own ?? 0, total), isLeast };
}

/** How many dead letters there are, of all that one may see: `12`, `1,000+`; undefined until it is known. */
export function useDeadLetterCount(): string | undefined {
  const count = useQuery({
    queryKey: [PUSH, 'dead-letters-count'],
    refetchInterval: every(EVERY_MS),
    queryFn: async ({ signal }) =>
      (await client.GET('/api/v1/push/dead-letters:count', { signal })).data!,
  });
  return count.data && `${count.data.count.toLocaleString('en')}${count.data.isLeast ? '+' : ''}`;
}
