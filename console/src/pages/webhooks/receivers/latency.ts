import { useQuery } from '@tanstack/react-query';
import { client, type Schema } from '../../../api/client';
import { PUSH } from '../keys';

/** Deliveries whose attempts are looked at: one request each. */
const SAMPLE = 20;
const EVERY_MS = 15_000;

export interface Latency {
  /** The attempts of the newest deliveries, the oldest first. */
  readonly attempts: readonly Schema<'DeliveryAttemptDto'>[];
  readonly medianMs: number | null;
  readonly slowestMs: number | null;
}

/** How long a receiver takes to answer: its newest attempts. */
export function useLatency(endpoint: string) {
  return useQuery({
    queryKey: [PUSH, 'latency', endpoint],
    queryFn: ({ signal }) => readLatency(endpoint, signal),
    refetchInterval: EVERY_MS,
  });
}

async function readLatency(endpoint: string, signal: AbortSignal): Promise<Latency> {
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
  const attempts = pages
    .flatMap((page) => page.data!.items)
    .sort((a, b) => a.at.localeCompare(b.at));
  const durations = attempts.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return {
    attempts,
    medianMs: durations[Math.floor(durations.length / 2)] ?? null,
    slowestMs: durations.at(-1) ?? null,
  };
}
