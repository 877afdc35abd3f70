import { useQuery } from '@tanstack/react-query';
import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS } from '../../../api/pages';
import { groupedBy } from '../../../ui/lists';
import type { Span } from '../../../ui/time-range';

/** Pages of dead letters that are read to count them: the newest thousand tell who is in trouble. */
const MOST_PAGES = 5;
const EVERY_MS = 30_000;

export interface LostEvents {
  /** `ORGANIZATION ORIGIN`. */
  readonly endpoint: string;
  readonly count: number;
  readonly first: string;
  readonly last: string;
  /** Why, the most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
}

export interface LostSummary {
  readonly endpoints: readonly LostEvents[];
  readonly total: number;
  /** There are further ones, which were not counted. */
  readonly more: boolean;
}

/** Which receivers did not get what in a span of time: its dead letters by receiver, those with most first. */
export function useLostEvents(span: Span, organization: string | undefined) {
  return useQuery({
    // Not one of those that each event of a receiver makes read anew: it reads much, just when there are many.
    queryKey: ['lost-events', span, organization],
    queryFn: ({ signal }) => readLost(span, organization, signal),
    refetchInterval: EVERY_MS,
  });
}

async function readLost(
  span: Span,
  organization: string | undefined,
  signal: AbortSignal,
): Promise<LostSummary> {
  const letters: Schema<'DeliveryDto'>[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { data } = await client.GET('/api/v1/push/dead-letters', {
      params: { query: { limit: PAGE_ROWS, cursor, organization, ...span } },
      signal,
    });
    letters.push(...data!.items);
    cursor = data!.nextCursor ?? undefined;
    if (cursor === undefined) break;
  }
  return { endpoints: byEndpoint(letters), total: letters.length, more: cursor !== undefined };
}

function byEndpoint(letters: readonly Schema<'DeliveryDto'>[]): LostEvents[] {
  const groups = groupedBy(letters, ({ endpoint }) => endpoint);
  return [...groups]
    .map(([endpoint, those]): LostEvents => {
      const times = those.map(({ createdAt }) => createdAt).sort();
      const reasons = groupedBy(those, ({ reason }) => reason ?? 'no reason on record');
      return {
        endpoint,
        count: those.length,
        first: times[0]!,
        last: times.at(-1)!,
        reasons: [...reasons]
          .map(([reason, { length }]) => ({ reason, count: length }))
          .sort((a, b) => b.count - a.count),
      };
    })
    .sort((a, b) => b.count - a.count);
}
