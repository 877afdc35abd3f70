import { useEffect, useState } from 'react';
import { Button } from '../../ui/button';
import { Field, Select, TextInput } from '../../ui/field';
import { type AgentsSearch, agentsSearchOf, HEALTH_FILTERS } from './search';

const TYPING_MS = 300;

const HEALTHS = [
  { value: '', label: 'Any' },
  ...HEALTH_FILTERS.map((value) => ({
    value,
    label: value === 'troubled' ? 'In trouble' : value.charAt(0).toUpperCase() + value.slice(1),
  })),
];

const STATES = [
  { value: '', label: 'All' },
  { value: 'enabled', label: 'Enabled' },
  { value: 'disabled', label: 'Disabled' },
];

export function AgentFilters({
  search,
  onChange,
}: {
  readonly search: AgentsSearch;
  readonly onChange: (search: AgentsSearch) => void;
}) {
  const set = (part: Record<string, string>) => onChange(agentsSearchOf({ ...search, ...part }));
  return (
    <div className="filters" role="search" aria-label="Agents">
      <TypedFilter
        label="Search"
        placeholder="Name, id, skill …"
        value={search.text ?? ''}
        onChange={(text) => set({ text })}
      />
      <TypedFilter label="Tag" value={search.tag ?? ''} onChange={(tag) => set({ tag })} />
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
      {Object.keys(search).length > 0 && <Button onClick={() => onChange({})}>Clear</Button>}
    </div>
  );
}

/** A filter that is set when one stops typing. */
function TypedFilter({
  label,
  placeholder,
  value,
  onChange,
}: {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => {
    if (typed === null) return;
    const timer = setTimeout(() => {
      onChange(typed);
      setTyped(null);
    }, TYPING_MS);
    return () => clearTimeout(timer);
    // What is called is the newest at the time that the text is taken.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [typed]);
  return (
    <Field label={label}>
      <TextInput
        type="search"
        placeholder={placeholder}
        value={typed ?? value}
        onChange={({ target }) => setTyped(target.value)}
      />
    </Field>
  );
}
