import { api, type Schema } from './client';
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

/** Who is signed in. */
export function useMe() {
  const { kind } = useCredential();
  return api.useQuery('get', '/api/v1/me', {}, { enabled: kind !== 'none', staleTime: 60_000 });
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
