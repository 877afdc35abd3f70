import { may, type Scope, useMe } from './me';

interface TabOfPage {
  readonly label: string;
  readonly scopes: readonly Scope[];
}

/** The tabs of the page of access in their order, and the scopes of which one opens each. */
export const ACCESS_TABS = {
  principals: { label: 'Principals', scopes: ['access:organization'] },
  keys: { label: 'Keys', scopes: ['access:organization'] },
  organizations: { label: 'Organizations', scopes: ['access:organization'] },
  policies: { label: 'Policies', scopes: ['access'] },
  'who-may': { label: 'Who may call', scopes: ['access'] },
  limits: { label: 'Limits', scopes: ['a2a', 'access'] },
  audit: { label: 'Audit log', scopes: ['audit'] },
  consents: { label: 'Consents', scopes: ['a2a', 'access:organization'] },
  data: { label: 'Data requests', scopes: ['data', 'access'] },
  'hub-keys': { label: 'Hub keys', scopes: ['admin'] },
  'log-levels': { label: 'Log levels', scopes: ['admin'] },
} as const satisfies Readonly<Record<string, TabOfPage>>;

/** The tabs that need another scope than their page. */
const TABS: Readonly<Record<string, Readonly<Record<string, Pick<TabOfPage, 'scopes'>>>>> = {
  '/access': ACCESS_TABS,
  '/webhooks': { 'auth-profiles': { scopes: ['push:all'] } },
};

/** The scopes of which one opens a page and what is below it; the first that fits an address holds. */
const PAGE_SCOPES: readonly (readonly [path: string, scopes: readonly Scope[]])[] = [
  ['/tasks', ['tasks:organization']],
  ['/agents', ['agents:organization']],
  ['/routing/rules', ['routing']],
  ['/routing/composite-skills', ['routing']],
  ['/routing/dry-run', ['a2a']],
  ['/routing', ['routing', 'a2a']],
  ['/webhooks', ['push']],
  ['/access', [...new Set(Object.values(ACCESS_TABS).flatMap(({ scopes }) => scopes))]],
  ['/playground', ['a2a']],
  ['', ['tasks:organization', 'push', 'agents:organization', 'access']],
];

/** The scopes of which one opens this address of the console; undefined when there is no such page. */
export function scopesOf(
  to: string,
  search: Readonly<Record<string, unknown>> = {},
): readonly Scope[] | undefined {
  const at = to.replace(/\/$/, '');
  const tab = search['tab'];
  const tabs = TABS[at];
  if (tabs && typeof tab === 'string' && Object.hasOwn(tabs, tab)) return tabs[tab]!.scopes;
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
