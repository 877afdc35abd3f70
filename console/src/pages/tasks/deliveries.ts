import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, queries, type Schema } from '../../api/client';
import { paced } from '../../api/pace';
import { storyQuery } from './detail/task-query';
import { isEnded } from '../../api/task-state';

/** While something is to come, and while the task is open, whose stream of events tells when there is something. */
const SOON_MS = 5_000;
const OPEN_MS = 10_000;
/** How long after an event of the task its webhooks may have it. */
const SENT_MS = 1_000;

export type Delivery = Schema<'DeliveryDto'>;

export function isUnderWay({ state }: Pick<Delivery, 'state'>): boolean {
  return state === 'pending' || state === 'retrying';
}

/**
 * How often what the webhooks of a task got is read anew: seldom until it has ended, oftener while something is to come by what its
 * story says or one of these deliveries is under way.
 */
export function useUpdateInterval(
  task: Pick<Schema<'TaskDto'>, 'id' | 'state'>,
): (deliveries?: readonly Delivery[]) => number | false {
  // Its card reads it.
  const story = useQuery({ ...storyQuery(task.id), enabled: false });
  const isToCome = story.data?.hasPendingUpdates === true;
  return (deliveries = []) => {
    if (isToCome || deliveries.some(isUnderWay)) return paced(SOON_MS);
    return !isEnded(task.state) && paced(OPEN_MS);
  };
}

/**
 * Reads the story of a task, and what its webhooks got, a moment after something has happened: `mark` is another one then. Of a
 * task of which something happens all the time, no oftener than while something is to come.
 */
export function useUpdatesAfter(id: string, mark: string): void {
  const newest = useRef(mark);
  const read = useRef({ mark, at: -Infinity });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    newest.current = mark;
    if (mark === read.current.mark || timer.current !== undefined) return;
    const wait = read.current.at + paced(SOON_MS) - performance.now();
    timer.current = setTimeout(
      () => {
        timer.current = undefined;
        read.current = { mark: newest.current, at: performance.now() };
        refreshUpdates(id);
      },
      Math.max(SENT_MS, wait),
    );
  }, [id, mark]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
}

function refreshUpdates(id: string): void {
  void queries.invalidateQueries({ queryKey: storyQuery(id).queryKey });
  const ofTask = { params: { query: { taskId: id } } };
  for (const path of ['/api/v1/push/configs', '/api/v1/push/deliveries']) {
    void queries.invalidateQueries({ queryKey: ['get', path, ofTask] });
  }
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
