import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../../api/client';
import { useMay } from '../../../api/me';
import { pageRows, usePages } from '../../../api/pages';
import { Button } from '../../../ui/button';
import { Empty } from '../../../ui/feedback';
import { counted } from '../../../ui/lists';
import { Card, Page } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { present } from '../../../ui/search';
import { useSpan } from '../../../ui/time-range';
import { isEnded } from '../task-state';
import '../tasks.css';
import { CancelManyDialog, type MeantTasks } from './cancel-many-dialog';
import { taskColumns } from './task-columns';
import { useStateCounts } from './state-counts';
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
  const mayCancel = useMay('tasks:all', 'a2a');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [canceling, setCanceling] = useState<MeantTasks | null>(null);
  const span = useSpan(search);
  const query = queryOf(search, span);
  const pages = usePages(['tasks', 'list', query], (cursor, signal) =>
    client.GET('/api/v1/tasks', {
      params: {
        query: { ...query, limit: pageRows(cursor), ...(cursor !== undefined && { cursor }) },
      },
      signal,
    }),
  );
  const isSearch = Object.keys(present(search)).length > 0;
  const open = pages.rows.filter(({ state }) => !isEnded(state));
  const meant: MeantTasks =
    chosen.size > 0 ? { kind: 'ids', ids: [...chosen] } : { kind: 'matching', search, span };
  const actions = mayCancel && (open.length > 0 || chosen.size > 0) && (
    <>
      <Button
        small
        onClick={() => setChosen(new Set(chosen.size > 0 ? [] : open.map(({ id }) => id)))}
      >
        {chosen.size > 0 ? 'Choose none' : 'Choose all open rows'}
      </Button>
      {(chosen.size > 0 || isSearch) && (
        <Button small kind="danger" onClick={() => setCanceling(meant)}>
          Cancel:{' '}
          {chosen.size > 0 ? `${chosen.size.toLocaleString('en')} chosen` : 'all that match'}
        </Button>
      )}
    </>
  );
  return (
    <Page title="Tasks" actions={<TaskLookup key={search.q} search={search} onChange={change} />}>
      <TaskFilters
        search={search}
        counts={useStateCounts(search, span)}
        onSet={set}
        onClear={() => change({})}
      />
      <div className="tasks-list">
        <Card
          title={
            pages.data
              ? `${counted(pages.rows.length, 'task')}${pages.hasMore ? ' and more' : ''}`
              : 'Tasks'
          }
          flush
          actions={actions}
        >
          <PagedTable
            label="Tasks"
            pages={pages}
            columns={taskColumns(seesAll, set)}
            rowId={({ id }) => id}
            selected={({ id }) => chosen.has(id)}
            choice={
              mayCancel
                ? {
                    chosen,
                    onChange: setChosen,
                    canChoose: ({ state }) => !isEnded(state),
                    labelOf: ({ id }) => `Choose the task ${id}`,
                  }
                : undefined
            }
            empty={<NoTasks isSearch={isSearch} onAll={() => change({})} />}
          />
        </Card>
      </div>
      {canceling && (
        <CancelManyDialog
          meant={canceling}
          asOperator={seesAll}
          onClose={() => setCanceling(null)}
          onDone={() => setChosen(new Set())}
        />
      )}
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
