import { useQuery } from '@tanstack/react-query';
import { api, queries, type Schema } from './client';
import { useCredential } from './credential';

export type Me = Schema<'OwnAccessDto'>;
export type Scope = Me['scopes'][number];

/** Which wider scope holds a narrower one. */
const WIDER: Readonly<Partial<Record<Scope, Scope>>> = {
  'tasks:organization': 'tasks:all',
  push: 'push:all',
  'agents:organization': 'agents',
  'access:organization': 'access',
};

const ME = api.queryOptions('get', '/api/v1/me', {}, { staleTime: 60_000 });

/** Who is signed in. */
export function useMe() {
  const { kind } = useCredential();
  return useQuery({ ...ME, enabled: kind !== 'none' });
}

/** Who is signed in, as far as it was read already. */
export function knownMe(): Me | undefined {
  return queries.getQueryData<Me>(ME.queryKey);
}

/** Whether these scopes let one do what needs one of `needed`. The hub decides by itself; this is what is shown. */
export function may(scopes: readonly Scope[] | undefined, ...needed: readonly Scope[]): boolean {
  if (scopes === undefined) return false;
  const held = new Set(scopes);
  return (
    held.has('admin') ||
    needed.some(
      (scope) => held.has(scope) || (WIDER[scope] !== undefined && held.has(WIDER[scope])),
    )
  );
}

/** Whether who is signed in may do what needs one of these scopes. */
export function useMay(...needed: readonly Scope[]): boolean {
  return may(useMe().data?.scopes, ...needed);
}

/** What whoever is signed in is known as; its id where it has no name. */
export function nameOf({ id, name }: Me): string {
  return name ?? id;
}
