import { api, queries, type Schema } from '../../../api/client';

export type TaskDetail = Schema<'TaskDetailDto'>;
export type TaskEvent = Schema<'TaskEventDto'>;

const at = (id: string) => ({ params: { path: { id } } });

export function taskQuery(id: string) {
  return api.queryOptions('get', '/api/v1/tasks/{id}', at(id));
}

export function storyQuery(id: string) {
  return api.queryOptions('get', '/api/v1/tasks/{id}/explain', at(id));
}

/** Reads again what is shown of a task, but for its contents: reading these is logged. */
export async function refreshTask(id: string): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: taskQuery(id).queryKey }),
    queries.invalidateQueries({ queryKey: storyQuery(id).queryKey }),
    queries.invalidateQueries({ queryKey: ['tasks'] }),
    queries.invalidateQueries({ queryKey: ['get', '/api/v1/push/deliveries'] }),
  ]);
}
