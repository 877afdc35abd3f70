import { may, type Scope } from '../../../api/me';

/** What each scope allows, for who gives it, in the order of docs/access.md. */
export const SCOPES: readonly {
  readonly scope: Scope;
  readonly allows: string;
  readonly group: string;
}[] = [
  { group: 'Clients', scope: 'a2a', allows: 'Send messages and follow its own tasks' },
  {
    group: 'Clients',
    scope: 'tasks:organization',
    allows: 'See, follow up and cancel the tasks of its organization',
  },
  {
    group: 'Clients',
    scope: 'push',
    allows: 'Webhooks, deliveries and subscriptions of the tasks it sees',
  },
  {
    group: 'A team, for its organization',
    scope: 'agents:organization',
    allows: 'Register, change and delete agents that its organization alone may use',
  },
  {
    group: 'A team, for its organization',
    scope: 'access:organization',
    allows: 'Keys, principals and consents of its organization',
  },
  {
    group: 'Operators, for all organizations',
    scope: 'agents',
    allows: 'All agents, their health and events',
  },
  {
    group: 'Operators, for all organizations',
    scope: 'routing',
    allows: 'Rules of routing and composite skills',
  },
  {
    group: 'Operators, for all organizations',
    scope: 'tasks:all',
    allows: 'Tasks of everybody: list, content, cancel, retry, delete',
  },
  {
    group: 'Operators, for all organizations',
    scope: 'push:all',
    allows: 'Webhooks, receivers and dead letters of everybody, auth profiles',
  },
  {
    group: 'Operators, for all organizations',
    scope: 'access',
    allows: 'Organizations, keys, principals, policies and limits of everybody',
  },
  {
    group: 'Operators, for all organizations',
    scope: 'audit',
    allows: 'Read, export and verify the audit log',
  },
  {
    group: 'Operators, for all organizations',
    scope: 'data',
    allows: 'Export and delete all data of an organization or a principal',
  },
  {
    group: 'Operators, for all organizations',
    scope: 'admin',
    allows: 'Everything, and the keys of the hub itself',
  },
];

const TEAM_GRANTS: readonly Scope[] = ['a2a', 'tasks:organization', 'push'];
const TEAM: readonly Scope[] = ['agents:organization', 'access:organization'];

/** Whether these scopes let one give `scope` to a key. The hub decides by itself; this is what is offered. */
export function mayGrant(held: readonly Scope[] | undefined, scope: Scope): boolean {
  if (may(held, 'admin')) return true;
  if (may(held, 'access')) {
    return scope !== 'admin' && (scope !== 'data' || may(held, 'data'));
  }
  return TEAM_GRANTS.includes(scope) || (TEAM.includes(scope) && may(held, scope));
}
