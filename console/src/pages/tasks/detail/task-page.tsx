import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { paced } from '../../../api/pace';
import { asProblem } from '../../../api/problem';
import { Empty, Loaded } from '../../../ui/feedback';
import { Page } from '../../../ui/page';
import { isEnded } from '../../../api/task-state';
import '../tasks.css';
import { type TaskDetail, taskQuery } from './task-query';
import { TaskView } from './task-view';

const route = getRouteApi('/tasks/$taskId');
/** Beside the stream of its events, for what that does not tell. */
const FRESH_EVERY_MS = 10_000;

export function TaskPage() {
  const { taskId } = route.useParams();
  const query = useQuery({
    ...taskQuery(taskId),
    refetchInterval: ({ state }) => isOpen(state.data) && paced(FRESH_EVERY_MS),
  });
  if (query.data === undefined && query.error && asProblem(query.error).status === 404) {
    return (
      <Page title="Task">
        <Empty title="There is no such task">
          <p>
            It was deleted, has never been, or is not one that you may see: <code>{taskId}</code>
          </p>
          <Link to="/tasks">To all tasks</Link>
        </Empty>
      </Page>
    );
  }
  if (query.data) return <TaskView key={taskId} task={query.data} error={query.error} />;
  return (
    <Page title="Task">
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}

function isOpen(task: TaskDetail | undefined): boolean {
  return task !== undefined && !isEnded(task.state);
}
