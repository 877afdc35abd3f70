import { useQueries } from '@tanstack/react-query';
import { api, type Schema } from '../../../api/client';
import { useNow } from '../../../ui/time';
import type { TaskDetail } from '../detail/task-query';
import { attemptsQuery, useUpdateInterval } from '../deliveries';
import { type TimelineRow, webhookRow } from './timeline-rows';

const MOST_WEBHOOKS = 10;
const MOST_DELIVERIES = 200;
/** Deliveries whose attempts are read: those that took more than one. */
const MOST_WITH_ATTEMPTS = 5;

type Attempt = Schema<'DeliveryAttemptDto'>;

/** A row for each webhook of the task. */
export function useWebhookRows(task: TaskDetail, enabled: boolean): readonly TimelineRow[] {
  const now = useNow();
  const intervalOf = useUpdateInterval(task);
  const webhooks = api.useQuery(
    'get',
    '/api/v1/push/configs',
    { params: { query: { taskId: task.id, limit: MOST_WEBHOOKS } } },
    { enabled, refetchInterval: () => intervalOf() },
  );
  const items = webhooks.data?.items ?? [];
  const deliveries = api.useQuery(
    'get',
    '/api/v1/push/deliveries',
    { params: { query: { taskId: task.id, limit: MOST_DELIVERIES } } },
    {
      enabled: enabled && items.length > 0,
      refetchInterval: ({ state }) => intervalOf(state.data?.items),
    },
  );
  const all = deliveries.data?.items ?? [];
  const tried = all.filter(({ attempts }) => attempts > 1).slice(0, MOST_WITH_ATTEMPTS);
  const attemptsOf = useQueries({
    queries: tried.map(attemptsQuery),
    combine: (results) =>
      new Map(
        results.flatMap(({ data }, index): [string, readonly Attempt[]][] =>
          data === undefined ? [] : [[tried[index]!.id, data.items]],
        ),
      ),
  });
  const newest = deliveries.data?.nextCursor == null ? null : all.length;
  return items.map((webhook) =>
    webhookRow(
      webhook,
      all.filter((each) => each.configId === webhook.configId),
      newest,
      attemptsOf,
      now,
    ),
  );
}
