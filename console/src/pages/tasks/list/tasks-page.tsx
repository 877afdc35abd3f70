import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../../api/client';
import { useMay } from '../../../api/me';
import { pageRows, usePages } from '../../../api/pages';
import { useAgentNames } from '../../../ui/agent-names';
import { Button } from '../../../ui/button';
import { Empty } from '../../../ui/feedback';
import { counted } from '../../../ui/lists';
import { Card, Page } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { useChosen } from '../../../ui/row-choice';
import { present } from '../../../ui/search';
import '../tasks.css';
import { cancelMany, type ManyAction, type MeantTasks, RETRY_MANY } from './many-tasks';
import { ManyTasksDialog } from './many-tasks-dialog';
import { taskColumns } from './task-columns';
import { useStateCounts } from './state-counts';
import { TaskFilters } from './task-filters';
import { TaskLookup } from './task-lookup';
import { leavesOut, queryOf, type TaskSearch } from './task-search';
import { retriedOf } from './tasks-meant';

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
  const possible = [...(mayCancel ? [cancelMany(seesAll)] : []), ...(seesAll ? [RETRY_MANY] : [])];
  const [doing, setDoing] = useState<{ action: ManyAction; meant: MeantTasks } | null>(null);
  const pages = usePages(
    ['tasks', 'list', search],
    (cursor, signal, span) =>
      client.GET('/api/v1/tasks', {
        params: {
          query: {
            ...queryOf(search, span),
            limit: pageRows(cursor),
            ...(cursor !== undefined && { cursor }),
          },
        },
        signal,
      }),
    { range: search },
  );
  const { span } = pages;
  const [chosen, setChosen] = useChosen(pages.rows, ({ id }) => id, search);
  const isSearch = leavesOut(search, span);
  const actions = possible.map((action) => {
    const fitting = pages.rows.filter(({ state }) => action.isFor(state)).map(({ id }) => id);
    return { action, fitting, ids: fitting.filter((id) => chosen.has(id)) };
  });
  return (
    <Page title="Tasks" actions={<TaskLookup key={search.q} search={search} onChange={change} />}>
      <TaskFilters
        search={search}
        counts={useStateCounts(search)}
        onSet={set}
        onClear={() => change({})}
      />
      <div className="tasks-list">
        <Card
          title={
            pages.data
              ? `${counted(pages.rows.length, 'task')}${pages.hasMore ? ' and more' : ''}${pages.rows.length > 1 ? ', last changed first' : ''}`
              : 'Tasks'
          }
          flush
          actions={
            <>
              {chosen.size > 0 && (
                <Button small onClick={() => setChosen(new Set())}>
                  Choose none
                </Button>
              )}
              {actions.map(({ action, fitting, ids }) => (
                <ManyButtons
                  key={action.verb}
                  action={action}
                  fitting={chosen.size > 0 ? 0 : fitting.length}
                  ids={ids}
                  retried={retriedOf(pages.rows.filter(({ id }) => chosen.has(id)))}
                  isSearch={isSearch && chosen.size === 0}
                  onChoose={() => setChosen(new Set(fitting))}
                  onDo={(meant) =>
                    setDoing({ action, meant: meant ?? { kind: 'matching', search, span } })
                  }
                />
              ))}
            </>
          }
        >
          <PagedTable
            label="Tasks"
            pages={pages}
            columns={taskColumns(seesAll, set)}
            rowId={({ id }) => id}
            selected={({ id }) => chosen.has(id)}
            choice={
              possible.length > 0
                ? {
                    chosen,
                    onChange: setChosen,
                    canChoose: ({ state }) => possible.some(({ isFor }) => isFor(state)),
                    labelOf: ({ id }) => `Choose the task ${id}`,
                  }
                : undefined
            }
            empty={isSearch ? <NoneFits search={search} onAll={() => change({})} /> : <NoTasks />}
          />
        </Card>
      </div>
      {doing && (
        <ManyTasksDialog
          {...doing}
          onClose={() => setDoing(null)}
          onDone={() => setChosen(new Set())}
        />
      )}
    </Page>
  );
}

/** Chooses the rows with which something can be done, and does it with those that are chosen, or all that match. */
function ManyButtons({
  action,
  fitting,
  ids,
  retried,
  isSearch,
  onChoose,
  onDo,
}: {
  readonly action: ManyAction;
  /** Rows that can be chosen for it. */
  readonly fitting: number;
  readonly ids: readonly string[];
  /** Those that are chosen and were retried already. */
  readonly retried: readonly string[];
  readonly isSearch: boolean;
  readonly onChoose: () => void;
  /** Without tasks: with all that match. */
  readonly onDo: (meant?: MeantTasks) => void;
}) {
  const kind = action.danger ? 'danger' : 'plain';
  return (
    <>
      {fitting > 0 && (
        <Button small onClick={onChoose}>
          {action.chooses}
        </Button>
      )}
      {ids.length > 0 && (
        <Button small kind={kind} onClick={() => onDo({ kind: 'ids', ids, retried })}>
          {action.verb}: {ids.length.toLocaleString('en')} chosen
        </Button>
      )}
      {isSearch && fitting > 0 && (
        <Button small kind={kind} onClick={() => onDo()}>
          {action.verb}: all that match
        </Button>
      )}
    </>
  );
}

function NoTasks() {
  return (
    <Empty title="No tasks yet">
      <p>A task begins when a client sends a message to the hub.</p>
    </Empty>
  );
}

function NoneFits({ search, onAll }: { readonly search: TaskSearch; readonly onAll: () => void }) {
  const { range, since, until, time, agent } = search;
  const { isMissing } = useAgentNames();
  return (
    <Empty title="No task is like that">
      <p>
        {agent !== undefined &&
          isMissing(agent) &&
          `There is no agent now that is called “${agent}” or has it as its id. `}
        {(range ?? since ?? until) !== undefined &&
          (time === 'status'
            ? 'The time is that of the last change of state. '
            : 'The time is that at which a task began; “Time of” looks for its last change of state instead. ')}
        Tasks that ended are deleted after a while.
      </p>
      <Button onClick={onAll}>Show all tasks</Button>
    </Empty>
  );
}
