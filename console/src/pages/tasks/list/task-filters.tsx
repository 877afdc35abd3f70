import { api } from '../../../api/client';
import { useMay } from '../../../api/me';
import { Button } from '../../../ui/button';
import { Field, Select } from '../../../ui/field';
import { FilterInput } from '../../../ui/filter-input';
import { TimeRangeField } from '../../../ui/time-range';
import { present } from '../../../ui/search';
import type { Suggestion } from '../../../ui/suggest';
import { Toolbar } from '../../../ui/toolbar';
import { FilterChips } from './filter-chips';
import { StateFilter } from './state-filter';
import { type EndReason, REASON_LABELS } from '../../../ui/end-reasons';
import type { TaskSearch } from './task-search';

const SUGGESTED = 200;

/** What is searched for: each change is in the address at once. */
export function TaskFilters({
  search,
  counts,
  onSet: set,
  onClear,
}: {
  readonly search: TaskSearch;
  readonly counts: ReadonlyMap<string, string>;
  readonly onSet: (part: Partial<TaskSearch>) => void;
  readonly onClear: () => void;
}) {
  const seesAll = useMay('tasks:all');
  const { agents, rules } = useSuggestions();
  return (
    <section className="tasks-filters" aria-label="Filters">
      <StateFilter
        value={search.state}
        counts={counts}
        onChange={(state) => set({ state })}
        isStuck={search.stuck === 'true'}
        onStuck={(isStuck) => set({ stuck: isStuck ? 'true' : undefined })}
      />
      <Toolbar>
        <FilterInput
          label="Agent"
          value={search.agent}
          placeholder="id or name"
          onChange={(agent) => set({ agent })}
          meantBy={(typed) => idOf(typed, agents)}
          suggestions={agents}
        />
        <FilterInput label="Skill" value={search.skill} onChange={(skill) => set({ skill })} />
        <FilterInput
          label="Rule"
          value={search.rule}
          onChange={(rule) => set({ rule })}
          suggestions={rules}
        />
        {seesAll && (
          <FilterInput
            label="Organization"
            value={search.organization}
            onChange={(organization) => set({ organization })}
          />
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
        <Field label="Time of">
          <Select
            value={search.time ?? ''}
            onChange={({ target }) =>
              set({ time: target.value === 'status' ? 'status' : undefined })
            }
            options={[
              { value: '', label: 'Its begin' },
              { value: 'status', label: 'Its last change of state' },
            ]}
          />
        </Field>
        <TimeRangeField value={search} onChange={set} />
        {Object.keys(present(search)).length > 0 && (
          <Button kind="quiet" onClick={onClear}>
            Clear filters
          </Button>
        )}
      </Toolbar>
      <FilterChips search={search} onSet={set} />
    </section>
  );
}

/** The id of the one agent that is called so; else what was typed. */
function idOf(typed: string, agents: readonly Suggestion[] = []): string {
  const isSame = (text: string | undefined) => text?.toLowerCase() === typed.toLowerCase();
  const named = agents.filter(({ label }) => isSame(label));
  return named.length === 1 && !agents.some(({ value }) => value === typed)
    ? named[0]!.value
    : typed;
}

/** The agents and rules that one may see. */
function useSuggestions() {
  const agents = api.useQuery(
    'get',
    '/api/v1/agents',
    { params: { query: { limit: SUGGESTED } } },
    { enabled: useMay('agents:organization'), staleTime: 60_000 },
  );
  const rules = api.useQuery(
    'get',
    '/api/v1/routes/rules',
    {},
    { enabled: useMay('routing'), staleTime: 60_000 },
  );
  return {
    agents: agents.data?.items.map(({ id, name }) => ({ value: id, label: name })),
    rules: rules.data?.items.map(({ name }) => name),
  };
}
