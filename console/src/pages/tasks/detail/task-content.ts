import { useQuery } from '@tanstack/react-query';
import { callA2a, type Message, type Task } from '../../../api/a2a';
import { client, type Schema } from '../../../api/client';
import { isEnded } from '../../../api/task-state';

/** How soon what has happened is read, and how often at most. */
const FRESH_EVERY_MS = 3_000;

/**
 * What was said and made in a task, of which `seq` is the newest event. As its client one reads it when more has happened; as an
 * operator once, since that is logged.
 */
export function useTaskContent(
  { id, state, seq }: Pick<Schema<'TaskDto'>, 'id' | 'state' | 'seq'>,
  by: 'client' | 'operator',
) {
  const isClient = by === 'client';
  return useQuery({
    queryKey: ['task-content', by, id, ...(isClient && isEnded(state) ? ['ended'] : [])],
    queryFn: async () => ({ task: await (isClient ? readAsClient(id) : readAsOperator(id)), seq }),
    select: ({ task }) => task,
    staleTime: Infinity,
    refetchOnMount: isClient ? 'always' : true,
    refetchInterval: ({ state: { data } }) =>
      isClient && data !== undefined && data.seq < seq && FRESH_EVERY_MS,
  });
}

async function readAsOperator(id: string): Promise<Task> {
  const { data } = await client.GET('/api/v1/tasks/{id}/content', { params: { path: { id } } });
  return (data as { readonly task: unknown }).task as Task;
}

function readAsClient(id: string): Promise<Task> {
  return callA2a<Task>('GetTask', { id });
}

/** All messages of a task in their order, the one of its status last. */
export function messagesOf({ history = [], status }: Task): readonly Message[] {
  const isThere = history.some(({ messageId }) => messageId === status.message?.messageId);
  return status.message && !isThere ? [...history, status.message] : history;
}
