import { useQuery } from '@tanstack/react-query';
import { client, type Schema } from '../../../api/client';
import { paced } from '../../../api/pace';
import type { Read } from '../../../ui/feedback';
import { spanOf, type TimeRange } from '../../../api/time-span';
import { LOST_EVENTS } from '../keys';
import { useWebhookSearch } from '../search';

/** Dead letters that are counted: as many tell who is in trouble. */
const MOST = 10_000;
/** So many are counted again by themselves; more, or more than were looked at, cost the hub too much, and are when one wants it. */
const FEW = 1_000;
const EVERY_MS = 30_000;

/** Which receivers did not get what, and in which time. */
export interface LostEvents {
  readonly range: TimeRange;
  readonly lost: Read<Schema<'LostEventsDto'>>;
  /** When they were counted, where that is not done again by itself. */
  readonly countedAt: number | undefined;
  readonly isCounting: boolean;
}

/** Those of the time that the address says, else of the last 24 hours: by receiver, those with most first. */
export function useLostEvents(): LostEvents {
  const [{ organization, ...search }] = useWebhookSearch();
  const range = { range: '24h', ...timesOf(search) };
  const lost = useQuery({
    // Not one of those that each event of a receiver makes read anew.
    queryKey: [LOST_EVENTS, range, organization],
    queryFn: async ({ signal }) => {
      const { data } = await client.GET('/api/v1/push/dead-letters:by-receiver', {
        params: { query: { most: MOST, organization, ...spanOf(range) } },
        signal,
      });
      return data!;
    },
    refetchInterval: ({ state }) => isFew(state.data) && paced(EVERY_MS),
    refetchOnWindowFocus: ({ state }) => isFew(state.data),
    refetchOnReconnect: ({ state }) => isFew(state.data),
  });
  const countedAt = isFew(lost.data) ? undefined : lost.dataUpdatedAt;
  return { range, lost, countedAt, isCounting: lost.isFetching };
}

function isFew(found: Schema<'LostEventsDto'> | undefined): boolean {
  return found === undefined || (found.total <= FEW && !found.isLeast);
}

function timesOf({ range, since, until }: TimeRange) {
  return range || since || until ? { range, since, until } : {};
}
