import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { PAGE_ROWS } from '../../../api/pages';
import { readPages } from '../../../api/read-pages';
import { FilterInput } from '../../../ui/filter-input';
import { idOfName, namesSeveral, severalCalled, suggestionsOf } from '../../../ui/id-of-name';
import { NamedInput, type NamedInputProps } from '../../../ui/named-input';
import { useDebounced } from '../../../ui/use-debounced';
import { ACCESS } from '../query-keys';

type Principal = Schema<'PrincipalDto'>;

/** Principals of one text that are looked at. */
const MOST = 400;

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

/** Of all principals those whose names or ids have a text, up to a bound. */
async function principalsLike(text: string): Promise<readonly Principal[]> {
  const { rows } = await readPages(MOST, (query) =>
    client.GET('/api/v1/principals', { params: { query: { ...query, text } } }),
  );
  return rows;
}

/** A principal by its id, or by its name, which becomes the id when one leaves the input. */
export function PrincipalInput(props: NamedInputProps) {
  const known = usePrincipalsLike(props.value);
  const mayRead = useMay('access:organization');
  return (
    <NamedInput
      placeholder="id or name"
      {...props}
      kind="principals"
      known={known}
      read={(typed) => (mayRead ? principalsLike(typed.trim()) : Promise.resolve([]))}
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
      warning={namesSeveral(typed, known) ? severalCalled(typed, 'principals') : undefined}
      suggestions={suggestionsOf(known)}
    />
  );
}
