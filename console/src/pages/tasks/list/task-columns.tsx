import { Link } from '@tanstack/react-router';
import type { Schema } from '../../../api/client';
import { StateBadge } from '../../../ui/badge';
import type { Column } from '../../../ui/data-table';
import { durationText, Time, useNow } from '../../../ui/time';
import { isEnded } from '../task-state';
import { REASON_LABELS } from '../../../ui/end-reasons';

type Task = Schema<'TaskDto'>;

export function taskColumns(seesAll: boolean): readonly Column<Task>[] {
  return [
    {
      id: 'state',
      header: 'State',
      cell: ({ state }) => <StateBadge state={state} />,
      sortBy: ({ state }) => state,
      share: 0.8,
    },
    {
      id: 'id',
      header: 'Task',
      cell: ({ id }) => (
        <Link to="/tasks/$taskId" params={{ taskId: id }} className="tasks-id" title={id}>
          {id.length > 18 ? (
            <>
              <span className="minor">{id.slice(0, 8)}</span>…{id.slice(-8)}
            </>
          ) : (
            id
          )}
        </Link>
      ),
      share: 1.1,
    },
    {
      id: 'agents',
      header: 'Agents',
      cell: (task) => <Agents task={task} />,
      sortBy: ({ delegations }) => delegations[0]?.agentName ?? '',
      share: 1.1,
    },
    {
      id: 'caller',
      header: seesAll ? 'Organization' : 'Caller',
      cell: (task) => <Caller task={task} seesAll={seesAll} />,
      sortBy: ({ organization }) => organization,
      minor: true,
      share: 1.1,
    },
    {
      id: 'begun',
      header: 'Began',
      cell: ({ createdAt }) => <Time at={createdAt} />,
      sortBy: ({ createdAt }) => Date.parse(createdAt),
      minor: true,
      share: 0.75,
    },
    {
      id: 'duration',
      header: 'Duration',
      cell: (task) => <Duration task={task} />,
      sortBy: ({ createdAt, statusAt }) => Date.parse(statusAt) - Date.parse(createdAt),
      align: 'end',
      minor: true,
      share: 0.65,
    },
    {
      id: 'why',
      header: 'Reason',
      cell: (task) => <Why task={task} />,
      sortBy: ({ reason }) => reason ?? '',
      minor: true,
      share: 1.5,
    },
  ];
}

function Agents({ task: { delegations } }: { readonly task: Task }) {
  const [first, ...others] = delegations;
  if (!first) return <span className="faint">none</span>;
  return (
    <span className="tasks-agents" title={delegations.map(({ agentName }) => agentName).join(', ')}>
      {first.agentName}
      {others.length > 0 && <span className="faint"> and {others.length} more</span>}
    </span>
  );
}

function Caller({ task, seesAll }: { readonly task: Task; readonly seesAll: boolean }) {
  const name = task.key?.name ?? task.principalName;
  const { principalId: id } = task;
  const shown = name ?? (id.length > 24 ? `${id.slice(0, 8)}…` : id);
  return (
    <span title={`Principal ${task.principalId}`}>
      {seesAll && <>{task.organization} </>}
      <span className={seesAll ? 'faint' : undefined}>{shown}</span>
    </span>
  );
}

function Duration({ task }: { readonly task: Task }) {
  return isEnded(task.state) ? (
    <span className="tasks-nowrap">
      {durationText(Date.parse(task.statusAt) - Date.parse(task.createdAt))}
    </span>
  ) : (
    <Running since={Date.parse(task.createdAt)} />
  );
}

function Running({ since }: { readonly since: number }) {
  return <span className="faint tasks-nowrap">{durationText(Math.max(0, useNow() - since))}</span>;
}

const LONGEST = 110;

function Why({ task }: { readonly task: Task }) {
  const said = task.delegations.find(({ reason }) => reason !== null)?.reason ?? '';
  const text = said.length > LONGEST ? `${said.slice(0, LONGEST)}…` : said;
  if (task.reason !== null) {
    return (
      <span className="tasks-why" title={said}>
        {REASON_LABELS[task.reason]}
        {text !== '' && <span className="faint"> · {text}</span>}
      </span>
    );
  }
  if (isEnded(task.state)) return null;
  return (
    <span className="tasks-why" title={said}>
      {text || WAITS[task.state] || null}
    </span>
  );
}

const WAITS: Readonly<Record<string, string>> = {
  'input-required': 'Waits for an answer of the client',
  'auth-required': 'Waits for authorization by the client',
};
