import { useQuery } from '@tanstack/react-query';
import { client } from '../api/client';
import { useMay, useMe } from '../api/me';
import { readPages } from '../api/read-pages';
import { every } from '../api/pace';
import { useDebounced } from './use-debounced';

/** Organizations that are looked at. */
const MOST = 400;
/** The one that everything is in by default: it is there before anything is in it. */
const DEFAULT = 'default';
/** What is still typed is not looked for. */
const PAUSE_MS = 500;
/** How often it is looked which there are. */
const REFRESH_MS = 30_000;

/** The ids of the organizations that one may see, the own one among them. */
export function useOrganizations(): readonly string[] {
  return useNames().ids;
}

/** What to say of organizations that are named and not there, of an empty name nothing; undefined: nothing, or it is not known. */
export function useMissingOrganizations(named: readonly string[]): string | undefined {
  const { ids, isWhole } = useNames();
  const looked = JSON.parse(useDebounced(JSON.stringify(named), PAUSE_MS)) as readonly string[];
  if (!isWhole) return undefined;
  const missing = looked
    .filter((each) => each !== '' && !ids.includes(each))
    .map((each) => `“${each}”`);
  if (missing.length === 0) return undefined;
  return missing.length === 1
    ? `There is no organization ${missing[0]}.`
    : `There are no organizations ${missing.join(', ')}.`;
}

function useNames(): { readonly ids: readonly string[]; readonly isWhole: boolean } {
  const own = useMe().data?.organization;
  const seesAll = useMay('access');
  const { data } = useQuery({
    queryKey: ['access', 'organizations', 'ids'],
    queryFn: ({ signal }) =>
      readPages(MOST, (query) =>
        client.GET('/api/v1/organizations', { params: { query }, signal }),
      ),
    refetchInterval: every(REFRESH_MS),
    enabled: useMay('access:organization'),
  });
  const listed = data?.rows.map(({ id }) => id) ?? [];
  return {
    ids: [...new Set([...(own ? [own] : []), ...(seesAll ? [DEFAULT] : []), ...listed])],
    isWhole: seesAll && data?.hasMore === false,
  };
}
