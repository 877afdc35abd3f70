import { useQuery } from '@tanstack/react-query';
import { authenticationHeaders, useCredential } from './credential';
import { hubUrl } from './place';
import { problemOf } from './problem';

export type Scope =
  | 'a2a'
  | 'tasks:organization'
  | 'tasks:all'
  | 'push'
  | 'push:all'
  | 'agents:organization'
  | 'agents'
  | 'routing'
  | 'access:organization'
  | 'access'
  | 'audit'
  | 'data'
  | 'admin';
export interface Me {
  readonly principalId: string;
  readonly displayName: string | null;
  readonly organization: string;
  readonly scopes: readonly Scope[];
}

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
  return useQuery({
    queryKey: ['me'],
    enabled: kind !== 'none',
    staleTime: 60_000,
    queryFn: async (): Promise<Me> => {
      const response = await fetch(hubUrl('api/v1/me'), { headers: authenticationHeaders() });
      if (!response.ok) throw await problemOf(response);
      return (await response.json()) as Me;
    },
  });
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
