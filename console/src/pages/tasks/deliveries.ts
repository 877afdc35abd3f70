import { useQuery } from '@tanstack/react-query';
import { api, type Schema } from '../../api/client';
import { storyQuery } from './detail/task-query';
import { isEnded } from '../../api/task-state';

const FRESH_EVERY_MS = 5_000;

export type Delivery = Schema<'DeliveryDto'>;

export function isUnderWay({ state }: Pick<Delivery, 'state'>): boolean {
  return state === 'pending' || state === 'retrying';
}

/**
 * How often what the webhooks of a task got is read anew: until it has ended, nothing is to come by what its story says, and
 * none of these deliveries is under way.
 */
export function useUpdateInterval(
  task: Pick<Schema<'TaskDto'>, 'id' | 'state'>,
): (deliveries?: readonly Delivery[]) => number | false {
  // Its card reads it.
  const story = useQuery({ ...storyQuery(task.id), enabled: false });
  const mayCome = !isEnded(task.state) || story.data?.hasPendingUpdates === true;
  return (deliveries = []) => (mayCome || deliveries.some(isUnderWay)) && FRESH_EVERY_MS;
}

/** The first attempts of a delivery; made anew whenever the delivery has changed. */
export function attemptsQuery({ id, updatedAt }: Pick<Delivery, 'id' | 'updatedAt'>) {
  return {
    ...api.queryOptions('get', '/api/v1/push/deliveries/{id}/attempts', {
      params: { path: { id }, query: { limit: 100 } },
    }),
    queryHash: `attempts of ${id} ${updatedAt}`,
  };
}
