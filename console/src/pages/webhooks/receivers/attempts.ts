import { useQuery } from '@tanstack/react-query';
import { client, type Schema } from '../../../api/client';
import { every } from '../../../api/pace';
import { PUSH } from '../keys';

/** Deliveries whose attempts are looked at: one request each. */
const SAMPLE = 20;
const EVERY_MS = 15_000;

type Attempt = Schema<'DeliveryAttemptDto'>;

/** The attempts of the newest deliveries to a receiver, the oldest first: to be drawn. */
export function useAttempts(endpoint: string) {
  return useQuery({
    queryKey: [PUSH, 'attempts-at', endpoint],
    queryFn: ({ signal }) => readAttempts(endpoint, signal),
    refetchInterval: every(EVERY_MS),
  });
}

async function readAttempts(endpoint: string, signal: AbortSignal): Promise<readonly Attempt[]> {
  const { data } = await client.GET('/api/v1/push/deliveries', {
    params: { query: { limit: SAMPLE, endpoint } },
    signal,
  });
  const tried = data!.items.filter(({ attempts }) => attempts > 0);
  const pages = await Promise.all(
    tried.map(({ id }) =>
      client.GET('/api/v1/push/deliveries/{id}/attempts', { params: { path: { id } }, signal }),
    ),
  );
  return pages.flatMap((page) => page.data!.items).sort((a, b) => a.at.localeCompare(b.at));
}
