import { Button } from '../../ui/button';
import { Field, Select } from '../../ui/field';
import { FilterInput } from '../../ui/filter-input';
import { type AgentsSearch, HEALTH_FILTERS } from './search';

const LABELS: Readonly<Record<string, string>> = {
  troubled: 'In trouble',
  failing: 'Failing calls',
};

const HEALTHS = [
  { value: '', label: 'Any' },
  ...HEALTH_FILTERS.map((value) => ({
    value,
    label: LABELS[value] ?? value.charAt(0).toUpperCase() + value.slice(1),
  })),
];

const STATES = [
  { value: '', label: 'All' },
  { value: 'enabled', label: 'Enabled' },
  { value: 'disabled', label: 'Disabled' },
];

export function AgentFilters({
  search,
  onSet: set,
  onClear,
}: {
  readonly search: AgentsSearch;
  readonly onSet: (part: Readonly<Record<string, string | undefined>>) => void;
  readonly onClear: () => void;
}) {
  return (
    <div className="filters" role="search" aria-label="Agents">
      <FilterInput
        label="Search"
        placeholder="Name, id, skill …"
        value={search.text}
        onChange={(text) => set({ text })}
      />
      <FilterInput label="Tag" value={search.tag} onChange={(tag) => set({ tag })} />
      <Field label="Health">
        <Select
          options={HEALTHS}
          value={search.health ?? ''}
          onChange={({ target }) => set({ health: target.value })}
        />
      </Field>
      <Field label="Shown">
        <Select
          options={STATES}
          value={search.state ?? ''}
          onChange={({ target }) => set({ state: target.value })}
        />
      </Field>
      {Object.keys(search).length > 0 && <Button onClick={onClear}>Clear</Button>}
    </div>
  );
}
