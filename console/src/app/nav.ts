import type { Scope } from '../api/me';
import type { IconName } from '../ui/icons';

/** A page of the console, in the order of the navigation. */
export interface NavEntry {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** Shown to who has one of them. */
  readonly scopes: readonly Scope[];
}

export const NAV: readonly NavEntry[] = [
  {
    to: '/',
    label: 'Overview',
    icon: 'overview',
    scopes: ['tasks:organization', 'push', 'agents:organization', 'access:organization', 'routing'],
  },
  { to: '/tasks', label: 'Tasks', icon: 'tasks', scopes: ['tasks:organization'] },
  { to: '/agents', label: 'Agents', icon: 'agents', scopes: ['agents:organization'] },
  { to: '/routing', label: 'Routing', icon: 'routing', scopes: ['routing', 'a2a'] },
  { to: '/webhooks', label: 'Webhooks', icon: 'webhooks', scopes: ['push'] },
  {
    to: '/access',
    label: 'Access',
    icon: 'access',
    scopes: ['access:organization', 'audit', 'a2a'],
  },
  { to: '/playground', label: 'Playground', icon: 'playground', scopes: ['a2a'] },
];
