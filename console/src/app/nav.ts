import type { IconName } from '../ui/icons';

/** A page of the console, in the order of the navigation: shown to whom `scopesOf` says. */
export interface NavEntry {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
}

export const NAV: readonly NavEntry[] = [
  { to: '/', label: 'Overview', icon: 'overview' },
  { to: '/tasks', label: 'Tasks', icon: 'tasks' },
  { to: '/agents', label: 'Agents', icon: 'agents' },
  { to: '/routing', label: 'Routing', icon: 'routing' },
  { to: '/webhooks', label: 'Webhooks', icon: 'webhooks' },
  { to: '/access', label: 'Access', icon: 'access' },
  { to: '/playground', label: 'Playground', icon: 'playground' },
];
