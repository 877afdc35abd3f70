import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { PAGE_ROWS } from '../../../api/pages';
import { FilterInput } from '../../../ui/filter-input';
import { idOfName } from '../../../ui/id-of-name';
import { NamedInput, type NamedInputProps } from '../../../ui/named-input';
import type { Suggestion } from '../../../ui/suggest';
import { useDebounced } from '../../../ui/use-debounced';
import { ACCESS } from '../query-keys';

type Principal = Schema<'PrincipalDto'>;

/** Principals whose names or ids have a text; of none, the newest. */
function usePrincipalsLike(typed: string): readonly Principal[] {
  const text = useDebounced(typed.trim());
  const { data } = useQuery({
    queryKey: [ACCESS, 'principals-like', text],
    queryFn: async ({ signal }) =>
      (
        await client.GET('/api/v1/principals', {
          params: { query: { limit: PAGE_ROWS, ...(text !== '' && { text }) } },
          signal,
        })
      ).data!.items,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    enabled: useMay('access:organization'),
  });
  return data ?? [];
}

function suggestionsOf(known: readonly Principal[]): Suggestion[] {
  return known.map(({ id, name }) => ({ value: id, ...(name !== null && { label: name }) }));
}

/** A principal by its id, or by its name, which becomes the id when one leaves the input. */
export function PrincipalInput(props: NamedInputProps) {
  const known = usePrincipalsLike(props.value);
  return (
    <NamedInput
      placeholder="id or name"
      {...props}
      suggestions={suggestionsOf(known)}
      meantBy={(typed) => idOfName(typed, known)}
    />
  );
}

/** Filters by a principal, by its id or name. */
export function PrincipalFilter({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(value ?? '');
  const known = usePrincipalsLike(typed);
  return (
    <FilterInput
      label={label}
      placeholder="id or name"
      value={value}
      onChange={onChange}
      onType={setTyped}
      meantBy={(text) => idOfName(text, known)}
      suggestions={suggestionsOf(known)}
    />
  );
}
