import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { client } from '../../../api/client';
import { useMay } from '../../../api/me';
import { pageRows, usePages } from '../../../api/pages';
import { Button } from '../../../ui/button';
import { Empty } from '../../../ui/feedback';
import { Card, Page } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { present } from '../../../ui/search';
import { useSpan } from '../../../ui/time-range';
import '../tasks.css';
import { taskColumns } from './task-columns';
import { TaskFilters } from './task-filters';
import { TaskLookup } from './task-lookup';
import { queryOf, type TaskSearch } from './task-search';

const route = getRouteApi('/tasks');

export function TasksPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: TaskSearch) => void navigate({ search: present(next), replace: true });
  // What the address is by now: another filter may have changed since this was rendered.
  const set = (part: Partial<TaskSearch>) =>
    void navigate({ search: (now) => present({ ...now, ...part }), replace: true });
  const seesAll = useMay('tasks:all');
  const query = queryOf(search, useSpan(search));
  const pages = usePages(['tasks', 'list', query], (cursor, signal) =>
    client.GET('/api/v1/tasks', {
      params: {
        query: { ...query, limit: pageRows(cursor), ...(cursor !== undefined && { cursor }) },
      },
      signal,
    }),
  );
  const columns = useMemo(() => taskColumns(seesAll), [seesAll]);
  return (
    <Page title="Tasks" actions={<TaskLookup key={search.q} search={search} onChange={change} />}>
      <TaskFilters search={search} onSet={set} onClear={() => change({})} />
      <div className="tasks-list">
        <Card flush>
          <PagedTable
            label="Tasks"
            pages={pages}
            columns={columns}
            rowId={({ id }) => id}
            empty={<NoTasks isSearch={Object.keys(search).length > 0} onAll={() => change({})} />}
          />
        </Card>
      </div>
    </Page>
  );
}

function NoTasks({ isSearch, onAll }: { readonly isSearch: boolean; readonly onAll: () => void }) {
  if (!isSearch) {
    return (
      <Empty title="No tasks yet">
        <p>A task begins when a client sends a message to the hub.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No task is like that">
      <p>Tasks that ended are deleted after a while; a search by time goes by when a task began.</p>
      <Button onClick={onAll}>Show all tasks</Button>
    </Empty>
  );
}
