import { getRouteApi } from '@tanstack/react-router';
import { present, textsOf } from '../../ui/search';

const NAMES = [
  'tab',
  /** What is open above the list. */
  'id',
  'text',
  'state',
  'organization',
  'principal',
  'group',
  'agent',
  'skill',
  'action',
  'outcome',
  'resourceType',
  'resourceId',
  'requestId',
  'onBehalfOf',
  'range',
  'since',
  'until',
  'by',
] as const;

/** What of the page stands in its address. */
export type AccessSearch = { readonly [Name in (typeof NAMES)[number]]?: string };

export function accessSearchOf(search: Record<string, unknown>): AccessSearch {
  return textsOf(search, NAMES);
}

const route = getRouteApi('/access');

/** What the address says, and how some of it is changed. */
export function useAccessSearch(): readonly [AccessSearch, (change: AccessChange) => void] {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: AccessChange) =>
    void navigate({ search: (now) => present({ ...now, ...changed }), replace: true });
  return [search, change];
}

type AccessChange = { readonly [Name in keyof AccessSearch]: string | undefined };
