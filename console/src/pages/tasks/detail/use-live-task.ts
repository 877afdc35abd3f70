import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { client, queries, type Schema } from '../../../api/client';
import { type LiveState, useLive } from '../../../api/live';
import { useVisible } from '../../../api/visible';
import { isEnded } from '../../../api/task-state';
import { newestRun, united } from './event-runs';
import { refreshTask, type TaskDetail, type TaskEvent, taskQuery } from './task-query';

/** Events that come together are shown together. */
const GATHER_MS = 200;
/** Of a task that goes on and on the oldest events leave the page; they can be read again. */
const KEPT = 2_000;
const EARLIER = 100;
/** The most that the hub gives at once. */
const PAGE = 200;

export interface LiveTask {
  /** By their numbers, oldest first, and none is missing between them. */
  readonly events: readonly TaskEvent[];
  /** The number of the newest event that is known of. */
  readonly newestSeq: number;
  /** Null once the task has ended. */
  readonly live: LiveState | null;
  readonly hasEarlier: boolean;
  readonly loadEarlier: () => Promise<void>;
}

/** Follows a task while it is open: its state goes to the cache of its query, its events come back. */
export function useLiveTask(task: TaskDetail): LiveTask {
  const { id } = task;
  const [came, setCame] = useState<readonly TaskEvent[]>([]);
  const [begin] = useState(task.events.at(-1)?.seq ?? task.seq);
  const isOpen = !isEnded(task.state);
  const isFollowed = useVisible() && isOpen;
  const gathered = useRef<TaskEvent[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const flush = useCallback(() => {
    timer.current = undefined;
    const next = gathered.current;
    gathered.current = [];
    setCame((before) => united(before, next).slice(-KEPT));
  }, []);
  const live = useLive({
    path: isFollowed ? `api/v1/tasks/${encodeURIComponent(id)}/events?after=${begin}` : null,
    endsByItself: true,
    onEvent: ({ event, data }) => {
      if (event === 'event') {
        gathered.current.push(JSON.parse(data) as TaskEvent);
        timer.current ??= setTimeout(flush, GATHER_MS);
      } else if (event === 'task') {
        const next = JSON.parse(data) as Schema<'TaskDto'>;
        queries.setQueryData<TaskDetail>(
          taskQuery(id).queryKey,
          (old) => old && { ...old, ...next },
        );
      } else if (event === 'end') {
        void refreshTask(id);
      }
    },
  });
  const known = useMemo(() => united(task.events, came), [task.events, came]);
  const events = useMemo(() => newestRun(known), [known]);
  const first = events[0]?.seq ?? 1;
  const loadEarlier = useCallback(async () => {
    const after = Math.max(0, first - 1 - EARLIER);
    const { data } = await client.GET('/api/v1/tasks/{id}/events', {
      params: { path: { id }, query: { after, limit: EARLIER } },
    });
    const earlier = (data?.items ?? []).filter(({ seq }) => seq < first);
    setCame((before) => united(earlier, before));
  }, [id, first]);
  const older = known[known.length - events.length - 1]?.seq;
  useEffect(() => {
    // More than is kept is read when one wants it.
    if (older === undefined || first - older > KEPT) return;
    const stop = new AbortController();
    const query = { after: older, limit: Math.min(PAGE, first - older - 1) };
    client
      .GET('/api/v1/tasks/{id}/events', { params: { path: { id }, query }, signal: stop.signal })
      .then(
        ({ data }) => setCame((before) => united(before, data?.items ?? []).slice(-KEPT)),
        // What is before it can still be read as earlier events.
        () => undefined,
      );
    return () => stop.abort();
  }, [id, older, first]);
  const newestSeq = Math.max(task.seq, events.at(-1)?.seq ?? 0);
  return { events, newestSeq, live: isOpen ? live : null, hasEarlier: first > 1, loadEarlier };
}
