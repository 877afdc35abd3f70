import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { api, type Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { Button } from '../../../ui/button';
import { DataTable } from '../../../ui/data-table';
import { Empty, Loaded } from '../../../ui/feedback';
import { Icon } from '../../../ui/icons';
import { Card, Page } from '../../../ui/page';
import '../tasks.css';
import { queryOf, type TaskSearch } from './task-search';
import { taskColumns } from './task-columns';
import { TaskFilters } from './task-filters';
import { TaskLookup } from './task-lookup';

const route = getRouteApi('/tasks');
const PAGE = 50;
const FRESH_EVERY_MS = 5_000;
/** Of a longer list the newest rows are not asked for by themselves: all its pages would be. */
const MAX_LIVE_PAGES = 2;

export function TasksPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: TaskSearch) => void navigate({ search: next, replace: true });
  const seesAll = useMay('tasks:all');
  // Counted back from when the search was made: the rows of its pages are of one list.
  const query = useMemo(() => queryOf(search), [search]);
  const tasks = api.useInfiniteQuery(
    'get',
    '/api/v1/tasks',
    { params: { query: { ...query, limit: PAGE } } },
    {
      pageParamName: 'cursor',
      // Not undefined, which would become 0.
      initialPageParam: null as string | null,
      getNextPageParam: ({ nextCursor }: Schema<'TaskPageDto'>) => nextCursor ?? undefined,
      refetchInterval: ({ state }) =>
        (state.data?.pages.length ?? 0) <= MAX_LIVE_PAGES && FRESH_EVERY_MS,
    },
  );
  const rows = useMemo(() => tasks.data?.pages.flatMap(({ items }) => items), [tasks.data]);
  const columns = useMemo(() => taskColumns(seesAll), [seesAll]);
  return (
    <Page
      title="Tasks"
      actions={
        <>
          <TaskLookup key={search.q} search={search} onChange={change} />
          <Button
            icon={<Icon name="refresh" />}
            busy={tasks.isRefetching && !tasks.isFetchingNextPage}
            onClick={() => void tasks.refetch()}
          >
            Refresh
          </Button>
        </>
      }
    >
      <TaskFilters search={search} onChange={change} />
      <div className="tasks-list">
        <Card flush>
          <Loaded query={{ ...tasks, data: rows }}>
            {(loaded) => (
              <DataTable
                label="Tasks"
                columns={columns}
                rows={loaded}
                rowId={({ id }) => id}
                hasMore={tasks.hasNextPage}
                loadingMore={tasks.isFetchingNextPage}
                onMore={() => void tasks.fetchNextPage()}
                empty={
                  <NoTasks isSearch={Object.keys(search).length > 0} onAll={() => change({})} />
                }
              />
            )}
          </Loaded>
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
