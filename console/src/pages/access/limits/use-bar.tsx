import { Meter } from '../../../ui/meter';
import { bytesText, Time } from '../../../ui/time';

/** What is used of a limit. */
export interface Used {
  readonly kind: string;
  readonly used: number | null;
  readonly limit: number | null;
  readonly unit: string | null;
  readonly state: 'ok' | 'warned' | 'exceeded';
  readonly resetsAt: string | null;
}

const KINDS: Readonly<Record<string, string>> = {
  openTasks: 'open tasks',
  tasksPerDay: 'tasks today',
  tasksPerMonth: 'tasks this month',
  storedBytes: 'stored',
  budgetPerDay: 'spent today',
  budgetPerMonth: 'spent this month',
  requestsPerSecond: 'requests a second',
};

/** How much of a limit is used, as a bar with its numbers. */
export function UseBar({ use }: { readonly use: Used }) {
  const { kind, used, limit, unit, state, resetsAt } = use;
  const name = KINDS[kind] ?? kind;
  const text = (value: number) =>
    kind === 'storedBytes'
      ? bytesText(value)
      : `${value.toLocaleString('en')}${unit === null ? '' : ` ${unit}`}`;
  const hasBar = used !== null && limit !== null && limit > 0;
  return (
    <div className="access-use">
      <span>
        {used === null
          ? `${limit === null ? 'no limit of' : `at most ${text(limit)}`} ${name}`
          : `${text(used)} ${limit === null ? name : `of ${text(limit)} ${name}`}`}
        {state !== 'ok' && (
          <strong className={`access-${state}`}>
            {' '}
            {state === 'warned' ? 'near its end' : 'used up'}
          </strong>
        )}
        {resetsAt !== null && hasBar && (
          <span className="faint">
            {' '}
            begins anew <Time at={resetsAt} />
          </span>
        )}
      </span>
      {hasBar && <Meter label={name} state={state} used={used} limit={limit} />}
    </div>
  );
}
