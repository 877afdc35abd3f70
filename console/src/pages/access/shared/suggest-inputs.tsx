import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { client } from '../../../api/client';
import { useMay } from '../../../api/me';
import { PAGE_ROWS } from '../../../api/pages';
import { TextInput } from '../../../ui/field';
import { ACCESS } from '../query-keys';

interface InputProps {
  readonly id?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly disabled?: boolean;
}

/** A text with suggestions. */
function SuggestInput({
  suggestions,
  onChange,
  ...input
}: InputProps & { readonly suggestions: readonly { value: string; label?: string }[] }) {
  const list = useId();
  return (
    <>
      <TextInput {...input} list={list} onChange={(event) => onChange(event.target.value)} />
      <datalist id={list}>
        {suggestions.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </datalist>
    </>
  );
}

/** The id of a principal; those that there are are suggested. */
export function PrincipalInput(props: InputProps) {
  const found = useQuery({
    queryKey: [ACCESS, 'suggested-principals'],
    queryFn: async ({ signal }) =>
      (
        await client.GET('/api/v1/principals', {
          params: { query: { limit: PAGE_ROWS } },
          signal,
        })
      ).data!.items,
    staleTime: 60_000,
    enabled: useMay('access:organization'),
  });
  return (
    <SuggestInput
      {...props}
      suggestions={(found.data ?? []).map(({ id, displayName }) => ({
        value: id,
        ...(displayName !== null && { label: displayName }),
      }))}
    />
  );
}

/** The agents that whoever is signed in may see. */
export function useAgents() {
  return useQuery({
    queryKey: [ACCESS, 'agents'],
    queryFn: async ({ signal }) =>
      (await client.GET('/api/v1/agents', { params: { query: { limit: PAGE_ROWS } }, signal }))
        .data!.items,
    staleTime: 60_000,
    enabled: useMay('agents:organization'),
  });
}

/** The id of an agent; those that there are are suggested. */
export function AgentInput(props: InputProps) {
  const agents = useAgents();
  return (
    <SuggestInput
      {...props}
      suggestions={(agents.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}
