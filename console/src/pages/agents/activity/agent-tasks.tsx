import { api, type Schema } from '../../../api/client';
import { every } from '../../../api/pace';
import { StateBadge } from '../../../ui/badge';
import { type Column, DataTable } from '../../../ui/data-table';
import { reasonText } from '../../../ui/end-reasons';
import { Empty, Loaded } from '../../../ui/feedback';
import { Card } from '../../../ui/page';
import { PageLink } from '../../../ui/page-link';
import { Time } from '../../../ui/time';

const SHOWN = 10;
const REFRESH_MS = 5_000;

type Task = Schema<'TaskDto'>;

const COLUMNS: readonly Column<Task>[] = [
  {
    id: 'task',
    header: 'Task',
    share: 2,
    cell: ({ id }) => (
      <PageLink to={`/tasks/${id}`}>
        <code>{id}</code>
      </PageLink>
    ),
  },
  { id: 'state', header: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  {
    id: 'reason',
    header: 'Why it failed',
    share: 1.5,
    minor: true,
    cell: ({ reason }) => (reason ? reasonText(reason) : <span className="faint">–</span>),
  },
  { id: 'organization', header: 'Organization', minor: true, cell: (task) => task.organization },
  { id: 'begun', header: 'Begun', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** The newest tasks that an agent has a part in. */
export function AgentTasks({ agentId }: { readonly agentId: string }) {
  const tasks = api.useQuery(
    'get',
    '/api/v1/tasks',
    { params: { query: { agentId, limit: SHOWN } } },
    { refetchInterval: every(REFRESH_MS) },
  );
  return (
    <Card
      title="Newest tasks"
      flush
      actions={
        <>
          <PageLink to="/tasks" search={{ agent: agentId, state: 'failed' }}>
            Failed ones
          </PageLink>
          <PageLink to="/tasks" search={{ agent: agentId }}>
            All tasks of this agent
          </PageLink>
        </>
      }
    >
      <Loaded query={tasks}>
        {({ items }) => (
          <DataTable
            label="Newest tasks of the agent"
            columns={COLUMNS}
            rows={items}
            rowId={({ id }) => id}
            empty={<Empty title="It has had no task yet" />}
          />
        )}
      </Loaded>
    </Card>
  );
}
