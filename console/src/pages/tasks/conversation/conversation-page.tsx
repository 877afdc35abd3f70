import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS } from '../../../api/pages';
import { every } from '../../../api/pace';
import { Button } from '../../../ui/button';
import { Id } from '../../../ui/copy';
import { Empty, Loaded } from '../../../ui/feedback';
import { counted } from '../../../ui/lists';
import { Page } from '../../../ui/page';
import '../tasks.css';
import { ConversationTask } from './conversation-task';

type Task = Schema<'TaskDto'>;

const route = getRouteApi('/tasks/contexts/$contextId');
const EVERY_MS = 5_000;
/** Tasks whose messages are read at once: the newest. */
const STEP = 20;

/** All tasks of a context in the order in which they began, with what was said in them. */
export function ConversationPage() {
  const { contextId } = route.useParams();
  const query = useQuery({
    queryKey: ['tasks', 'conversation', contextId],
    queryFn: ({ signal }) => tasksOf(contextId, signal),
    refetchInterval: every(EVERY_MS),
  });
  return (
    <Page
      title="Conversation"
      lead={
        <>
          Context <Id value={contextId} />;{' '}
          <Link to="/tasks" search={{ context: contextId }}>
            its tasks as a list
          </Link>
        </>
      }
    >
      <Loaded query={query}>
        {({ tasks, hasMore }) => <Turns key={contextId} tasks={tasks} hasMore={hasMore} />}
      </Loaded>
    </Page>
  );
}

/** The tasks of a context that changed last, in the order in which they began. */
async function tasksOf(contextId: string, signal: AbortSignal) {
  const { data } = await client.GET('/api/v1/tasks', {
    params: { query: { contextId, limit: PAGE_ROWS } },
    signal,
  });
  const tasks = data!.items.toSorted(
    (one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt),
  );
  return { tasks, hasMore: data!.nextCursor !== null };
}

function Turns({ tasks, hasMore }: { readonly tasks: readonly Task[]; readonly hasMore: boolean }) {
  const [shown, setShown] = useState(STEP);
  if (tasks.length === 0) {
    return (
      <Empty title="No task is in this context">
        <p>They were deleted, have never been, or are none that you may see.</p>
        <Link to="/tasks">To all tasks</Link>
      </Empty>
    );
  }
  const earlier = Math.max(0, tasks.length - shown);
  const callers = new Set(tasks.map(({ principalId }) => principalId));
  return (
    <>
      {callers.size > 1 && (
        <p className="notice">
          {counted(callers.size, 'caller')} chose this id for a context: these are as many
          conversations.
        </p>
      )}
      {earlier > 0 && (
        <p>
          <Button small onClick={() => setShown(shown + STEP)}>
            {counted(Math.min(STEP, earlier), 'earlier task')}
          </Button>
        </p>
      )}
      {earlier === 0 && hasMore && (
        <p className="faint">There are more; those that changed last are shown.</p>
      )}
      <ol className="tasks-turns" aria-label="Conversation">
        {tasks.slice(earlier).map((task) => (
          <ConversationTask key={task.id} task={task} />
        ))}
      </ol>
    </>
  );
}
