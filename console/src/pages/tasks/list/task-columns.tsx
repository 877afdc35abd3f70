import { Link } from '@tanstack/react-router';
import type { Schema } from '../../../api/client';
import { useAgentNames } from '../../../ui/agent-names';
import { Badge, StateBadge } from '../../../ui/badge';
import type { Column } from '../../../ui/data-table';
import { REASON_LABELS } from '../../../ui/end-reasons';
import { FilterLink } from '../../../ui/filter-link';
import { distinctName } from '../../../ui/id-of-name';
import { durationText, Time, useNow } from '../../../ui/time';
import { callerNameOf, callerOf } from '../caller-name';
import { isEnded } from '../../../api/task-state';
import type { TaskSearch } from './task-search';

type Task = Schema<'TaskDto'>;

/** Leaves only tasks that have this too. */
type Filter = (part: Partial<TaskSearch>) => void;

export function taskColumns(seesAll: boolean, onFilter: Filter): readonly Column<Task>[] {
  return [
    {
      id: 'state',
      header: 'State',
      cell: ({ state, retriedAs }) => (
        <>
          <FilterLink what="state" value={state} onFilter={() => onFilter({ state })}>
            <StateBadge state={state} />
          </FilterLink>
          {retriedAs !== null && (
            <>
              {' '}
              <Badge title={`Retried as ${retriedAs}`}>retried</Badge>
            </>
          )}
        </>
      ),
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
      cell: (task) => <Agents task={task} onFilter={onFilter} />,
      sortBy: ({ delegations }) => delegations[0]?.agentName ?? '',
      share: 1.4,
    },
    {
      id: 'skill',
      header: 'Skill and rule',
      cell: (task) => <Routed task={task} onFilter={onFilter} />,
      sortBy: ({ delegations }) => delegations[0]?.skillId ?? '',
      minor: true,
      share: 1.1,
    },
    {
      id: 'caller',
      header: seesAll ? 'Organization' : 'Caller',
      cell: (task) => <Caller task={task} seesAll={seesAll} onFilter={onFilter} />,
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
      share: 0.95,
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
      cell: (task) => <Why task={task} onFilter={onFilter} />,
      sortBy: ({ reason }) => reason ?? '',
      minor: true,
      share: 2,
    },
  ];
}

interface Filtering {
  readonly task: Task;
  readonly onFilter: Filter;
}

function Agents({ task: { delegations }, onFilter }: Filtering) {
  const { known } = useAgentNames();
  const [first, ...others] = delegations;
  if (!first) return <span className="faint">none</span>;
  const name = distinctName(first.agentId, first.agentName, known);
  return (
    <span title={delegations.map(({ agentName }) => agentName).join(', ')}>
      <FilterLink what="agent" value={name} onFilter={() => onFilter({ agent: first.agentId })}>
        <span className="clamped">{name}</span>
      </FilterLink>
      {others.length > 0 && <span className="faint"> and {others.length} more</span>}
    </span>
  );
}

/** The skill that was chosen, and the rule that chose. */
function Routed({ task: { delegations, rule }, onFilter }: Filtering) {
  const skill = delegations.find(({ skillId }) => skillId !== null)?.skillId;
  return (
    <>
      {skill && (
        <FilterLink what="skill" value={skill} onFilter={() => onFilter({ skill })}>
          {skill}
        </FilterLink>
      )}{' '}
      {rule && (
        <FilterLink what="rule" value={rule.name} onFilter={() => onFilter({ rule: rule.id })}>
          <span className="faint">by {rule.name}</span>
        </FilterLink>
      )}
    </>
  );
}

function Caller({ task, seesAll, onFilter }: Filtering & { readonly seesAll: boolean }) {
  const { principalId: id } = task;
  return (
    <span title={`Principal ${task.principalId}`}>
      {seesAll && (
        <FilterLink
          what="organization"
          value={task.organization}
          onFilter={() => onFilter({ organization: task.organization })}
        >
          {task.organization}
        </FilterLink>
      )}{' '}
      <FilterLink
        what="principal"
        value={callerNameOf(task) ?? id}
        onFilter={() => onFilter({ principal: id })}
      >
        <span className={seesAll ? 'faint' : undefined}>{callerOf(task)}</span>
      </FilterLink>
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

function Why({ task, onFilter }: Filtering) {
  const said = task.delegations.find(({ reason }) => reason !== null)?.reason ?? '';
  const text = said.length > LONGEST ? `${said.slice(0, LONGEST)}…` : said;
  const { reason } = task;
  if (reason !== null) {
    return (
      <div title={said}>
        <FilterLink
          what="end reason"
          value={REASON_LABELS[reason]}
          onFilter={() => onFilter({ reason })}
        >
          {REASON_LABELS[reason]}
        </FilterLink>
        {text !== '' && <div className="faint tasks-said">{text}</div>}
      </div>
    );
  }
  if (isEnded(task.state)) return null;
  return (
    <div className="tasks-said" title={said}>
      {text || WAITS[task.state] || null}
    </div>
  );
}

const WAITS: Readonly<Record<string, string>> = {
  'input-required': 'Waits for an answer of the client',
  'auth-required': 'Waits for authorization by the client',
};
