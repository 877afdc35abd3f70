import { client } from '../../../api/client';
import type { TaskDetail, TaskEvent } from './task-query';

const PAGE = 200;

/** A task with all of its events as JSON, for whoever looks into it elsewhere. `onBytes` hears how much has come. */
export async function taskFile(
  task: TaskDetail,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<Blob> {
  const events: TaskEvent[] = [];
  let bytes = 0;
  for (let after = 0, hasMore = true; hasMore;) {
    const { data } = await client.GET('/api/v1/tasks/{id}/events', {
      params: { path: { id: task.id }, query: { after, limit: PAGE } },
      signal,
    });
    events.push(...data!.items);
    bytes += JSON.stringify(data!.items).length;
    onBytes(bytes);
    ({ next: after, hasMore } = data!);
  }
  return new Blob([JSON.stringify({ ...task, events }, null, 2)]);
}
