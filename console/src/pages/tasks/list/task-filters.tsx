import { api } from '../../../api/client';
import { useMay } from '../../../api/me';
import { Button } from '../../../ui/button';
import { Field, Select } from '../../../ui/field';
import { CommittedInput } from './committed-input';
import { FilterChips } from './filter-chips';
import { StateFilter } from './state-filter';
import { type EndReason, PERIODS, REASON_LABELS, type TaskSearch } from './task-search';

const CUSTOM = 'custom';
const SUGGESTED = 200;

/** What is searched for: each change is in the address at once. */
export function TaskFilters({
  search,
  onChange,
}: {
  readonly search: TaskSearch;
  readonly onChange: (next: TaskSearch) => void;
}) {
  const seesAll = useMay('tasks:all');
  const set = (change: Partial<TaskSearch>) => onChange({ ...search, ...change });
  const isCustom = search.from !== undefined || search.to !== undefined;
  return (
    <section className="tasks-filters" aria-label="Filters">
      <StateFilter value={search.state} onChange={(state) => set({ state })} />
      <div className="filters">
        <AgentField value={search.agent} onCommit={(agent) => set({ agent })} />
        <Field label="Skill">
          <CommittedInput value={search.skill} onCommit={(skill) => set({ skill })} />
        </Field>
        <RuleField value={search.rule} onCommit={(rule) => set({ rule })} />
        {seesAll && (
          <Field label="Organization">
            <CommittedInput
              value={search.organization}
              onCommit={(organization) => set({ organization })}
            />
          </Field>
        )}
        <Field label="End reason">
          <Select
            value={search.reason ?? ''}
            onChange={({ target }) =>
              set({ reason: target.value === '' ? undefined : (target.value as EndReason) })
            }
            options={[
              { value: '', label: 'Any' },
              ...Object.entries(REASON_LABELS).map(([value, label]) => ({ value, label })),
            ]}
          />
        </Field>
        <Field label="Began">
          <Select
            value={isCustom ? CUSTOM : (search.since ?? '')}
            onChange={({ target: { value } }) =>
              set(
                value === CUSTOM
                  ? { since: undefined, from: dayAgo() }
                  : { since: value || undefined, from: undefined, to: undefined },
              )
            }
            options={[
              { value: '', label: 'At any time' },
              ...Object.entries(PERIODS).map(([value, { label }]) => ({ value, label })),
              { value: CUSTOM, label: 'From … to …' },
            ]}
          />
        </Field>
        {isCustom && (
          <>
            <Field label="From">
              <CommittedInput
                type="datetime-local"
                value={localOf(search.from)}
                onCommit={(from) => set({ from: isoOf(from) })}
              />
            </Field>
            <Field label="To">
              <CommittedInput
                type="datetime-local"
                value={localOf(search.to)}
                onCommit={(to) => set({ to: isoOf(to) })}
              />
            </Field>
          </>
        )}
        {Object.keys(search).length > 0 && (
          <Button kind="quiet" onClick={() => onChange({})}>
            Clear filters
          </Button>
        )}
      </div>
      <FilterChips search={search} onChange={onChange} />
    </section>
  );
}

interface Suggesting {
  readonly value: string | undefined;
  readonly onCommit: (value: string | undefined) => void;
}

function AgentField({ value, onCommit }: Suggesting) {
  const agents = api.useQuery(
    'get',
    '/api/v1/agents',
    { params: { query: { limit: SUGGESTED } } },
    { enabled: useMay('agents:organization'), staleTime: 60_000 },
  );
  return (
    <Field label="Agent">
      <CommittedInput
        value={value}
        onCommit={onCommit}
        suggestions={agents.data?.items.map(({ id }) => id)}
      />
    </Field>
  );
}

function RuleField({ value, onCommit }: Suggesting) {
  const rules = api.useQuery(
    'get',
    '/api/v1/routes/rules',
    {},
    { enabled: useMay('routing'), staleTime: 60_000 },
  );
  return (
    <Field label="Rule">
      <CommittedInput
        value={value}
        onCommit={onCommit}
        suggestions={rules.data?.items.map(({ name }) => name)}
      />
    </Field>
  );
}

function dayAgo(): string {
  return new Date(Date.now() - PERIODS['24h']!.ms).toISOString();
}

/** A time as `datetime-local` writes it, in the zone of who looks at it. */
function localOf(iso: string | undefined): string {
  if (iso === undefined || Number.isNaN(Date.parse(iso))) return '';
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function isoOf(local: string | undefined): string | undefined {
  const at = Date.parse(local ?? '');
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
