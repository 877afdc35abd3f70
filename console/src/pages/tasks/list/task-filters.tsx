import { api } from '../../../api/client';
import { useMay } from '../../../api/me';
import { useAgentNames } from '../../../ui/agent-names';
import { Button } from '../../../ui/button';
import { Field, Select } from '../../../ui/field';
import { FilterInput } from '../../../ui/filter-input';
import { suggestionsOf } from '../../../ui/id-of-name';
import { OrganizationFilter } from '../../../ui/organization-inputs';
import { TimeRangeField } from '../../../ui/time-range';
import { present } from '../../../ui/search';
import { Toolbar } from '../../../ui/toolbar';
import { FilterChips } from './filter-chips';
import { StateFilter } from './state-filter';
import { type EndReason, REASON_LABELS } from '../../../ui/end-reasons';
import type { TaskSearch } from './task-search';

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
  const agents = useAgentNames();
  const rules = useRules();
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
          meantBy={agents.meantBy}
          suggestions={suggestionsOf(agents.known)}
        />
        <FilterInput label="Skill" value={search.skill} onChange={(skill) => set({ skill })} />
        <FilterInput
          label="Rule"
          value={search.rule}
          onChange={(rule) => set({ rule })}
          suggestions={rules}
        />
        {seesAll && (
          <OrganizationFilter
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

/** The rules that one may see. */
function useRules(): readonly string[] | undefined {
  const rules = api.useQuery(
    'get',
    '/api/v1/routes/rules',
    {},
    { enabled: useMay('routing'), staleTime: 60_000 },
  );
  return rules.data?.items.map(({ name }) => name);
}
