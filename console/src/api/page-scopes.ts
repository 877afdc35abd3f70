import { may, type Scope, useMe } from './me';

/** The scopes of which one opens a tab of the page of access, in the order of the tabs. */
export const ACCESS_SCOPES = {
  principals: ['access:organization'],
  keys: ['access:organization'],
  organizations: ['access:organization'],
  policies: ['access'],
  'who-may': ['access'],
  limits: ['a2a', 'access'],
  audit: ['audit'],
  consents: ['a2a', 'access:organization'],
  data: ['data', 'access'],
  'hub-keys': ['admin'],
  'log-levels': ['admin'],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

/** The scopes of which one opens a page and what is below it; the first that fits an address holds. */
const PAGE_SCOPES: readonly (readonly [path: string, scopes: readonly Scope[]])[] = [
  ['/tasks', ['tasks:organization']],
  ['/agents', ['agents:organization']],
  ['/routing/rules', ['routing']],
  ['/routing/composite-skills', ['routing']],
  ['/routing/dry-run', ['a2a']],
  ['/routing', ['routing', 'a2a']],
  ['/webhooks', ['push']],
  ['/access', [...new Set(Object.values(ACCESS_SCOPES).flat())]],
  ['/playground', ['a2a']],
  ['', ['tasks:organization', 'push', 'agents:organization', 'access:organization', 'routing']],
];

/** The scopes of which one opens this address of the console; undefined when there is no such page. */
export function scopesOf(
  to: string,
  search: Readonly<Record<string, unknown>> = {},
): readonly Scope[] | undefined {
  const at = to.replace(/\/$/, '');
  const tab = search['tab'];
  if (at === '/access' && typeof tab === 'string' && Object.hasOwn(ACCESS_SCOPES, tab)) {
    return ACCESS_SCOPES[tab as keyof typeof ACCESS_SCOPES];
  }
  return PAGE_SCOPES.find(([path]) => at === path || (path && at.startsWith(`${path}/`)))?.[1];
}

/** Whether these scopes have something to see at this address. */
export function mayOpen(
  held: readonly Scope[] | undefined,
  to: string,
  search?: Readonly<Record<string, unknown>>,
): boolean {
  const needed = scopesOf(to, search);
  return needed === undefined || may(held, ...needed);
}

/** Whether who is signed in has something to see at this address. */
export function useMayOpen(to: string, search?: Readonly<Record<string, unknown>>): boolean {
  return mayOpen(useMe().data?.scopes, to, search);
}

/** These scopes as a sentence names them. */
export function scopeText(scopes: readonly Scope[]): string {
  return `${scopes.length > 1 ? 'one of the scopes' : 'the scope'} ${scopes.join(', ')}`;
}
