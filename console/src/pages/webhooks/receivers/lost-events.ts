import { useQuery } from '@tanstack/react-query';
import { client } from '../../../api/client';
import type { Span } from '../../../ui/time-range';

/** Dead letters that are counted: as many tell who is in trouble. */
const MOST = 10_000;
const EVERY_MS = 30_000;

/** Which receivers did not get what in a span of time: its dead letters by receiver, those with most first. */
export function useLostEvents(span: Span, organization: string | undefined) {
  return useQuery({
    // Not one of those that each event of a receiver makes read anew.
    queryKey: ['lost-events', span, organization],
    queryFn: async ({ signal }) => {
      const { data } = await client.GET('/api/v1/push/dead-letters:by-receiver', {
        params: { query: { most: MOST, organization, ...span } },
        signal,
      });
      return data!;
    },
    refetchInterval: EVERY_MS,
  });
}
