import { useQueries } from '@tanstack/react-query';
import { api, type Schema } from '../../../api/client';
import { useNow } from '../../../ui/time';
import type { TaskDetail } from '../detail/task-query';
import { isEnded } from '../task-state';
import { type TimelineRow, webhookRow } from './timeline-rows';

const FRESH_EVERY_MS = 5_000;
const MOST_WEBHOOKS = 10;
const MOST_DELIVERIES = 200;
/** Deliveries whose attempts are read: those that took more than one. */
const MOST_WITH_ATTEMPTS = 5;

type Attempt = Schema<'DeliveryAttemptDto'>;

/** A row for each webhook of the task. */
export function useWebhookRows(task: TaskDetail, enabled: boolean): readonly TimelineRow[] {
  const now = useNow();
  const webhooks = api.useQuery(
    'get',
    '/api/v1/push/configs',
    { params: { query: { taskId: task.id, limit: MOST_WEBHOOKS } } },
    { enabled },
  );
  const items = webhooks.data?.items ?? [];
  const deliveries = api.useQuery(
    'get',
    '/api/v1/push/deliveries',
    { params: { query: { taskId: task.id, limit: MOST_DELIVERIES } } },
    {
      enabled: enabled && items.length > 0,
      refetchInterval: ({ state }) =>
        (!isEnded(task.state) || (state.data?.items ?? []).some((each) => each.nextAttemptAt)) &&
        FRESH_EVERY_MS,
    },
  );
  const all = deliveries.data?.items ?? [];
  const tried = all.filter(({ attempts }) => attempts > 1).slice(0, MOST_WITH_ATTEMPTS);
  const attemptsOf = useQueries({
    queries: tried.map(({ id, attempts }) => ({
      ...api.queryOptions('get', '/api/v1/push/deliveries/{id}/attempts', {
        params: { path: { id }, query: { limit: 100 } },
      }),
      // Made anew when there are more of them.
      queryHash: `attempts of ${id} ${attempts}`,
    })),
    combine: (results) =>
      new Map(
        results.flatMap(({ data }, index): [string, readonly Attempt[]][] =>
          data === undefined ? [] : [[tried[index]!.id, data.items]],
        ),
      ),
  });
  return items.map(({ url, configId }) =>
    webhookRow(
      url,
      all.filter((each) => each.configId === configId),
      attemptsOf,
      now,
    ),
  );
}
