import { useQuery } from '@tanstack/react-query';
import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS } from '../../../api/pages';
import { every } from '../../../api/pace';
import { useNow } from '../../../ui/time';
import { PUSH } from '../keys';

const EVERY_MS = 5_000;

/** When something is sent to a receiver again: a time or `now`, null when nothing waits. */
export function useNextTry(endpoint: Schema<'EndpointDto'>): string | null {
  const { organization, origin, breaker, nextProbeAt, waiting } = endpoint;
  const now = useNow();
  const name = `${organization} ${origin}`;
  const retried = useQuery({
    queryKey: [PUSH, 'next-try', name],
    queryFn: ({ signal }) => readNext(name, signal),
    enabled: breaker === 'closed' && waiting > 0,
    refetchInterval: every(EVERY_MS),
  });
  if (breaker === 'open' && nextProbeAt === null) return 'now';
  const next = nextProbeAt ?? (waiting > 0 ? (retried.data ?? null) : null);
  return next !== null && Date.parse(next) <= now ? 'now' : next;
}

/** The earliest of its newest deliveries that are being retried. */
async function readNext(endpoint: string, signal: AbortSignal): Promise<string | null> {
  const { data } = await client.GET('/api/v1/push/deliveries', {
    params: { query: { limit: PAGE_ROWS, endpoint, state: 'retrying' } },
    signal,
  });
  const times = data!.items.flatMap(({ nextAttemptAt }) => nextAttemptAt ?? []);
  return times.sort()[0] ?? null;
}
