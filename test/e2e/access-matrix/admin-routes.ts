import { SCOPES } from '../../../src/common/scope.js';

/** The scopes that open a route; `admin` opens all. Written by hand from docs/access.md. */
type Opening = readonly string[];

const ADMIN: Opening = [];
const AUDIT: Opening = ['audit'];
const ACCESS: Opening = ['access'];
const DATA: Opening = ['data'];
const TEAM_ACCESS: Opening = ['access', 'access:organization'];
const OWN_OR_TEAM_ACCESS: Opening = ['a2a', ...TEAM_ACCESS];
const AGENTS: Opening = ['agents', 'agents:organization'];
const ROUTING: Opening = ['routing'];
/** Whoever the hub knows. */
const ANY: Opening = SCOPES;
const CLIENT: Opening = ['a2a'];
const TASKS: Opening = ['tasks:organization', 'tasks:all'];
const ALL_TASKS: Opening = ['tasks:all'];
const OWN_OR_ALL_TASKS: Opening = [...CLIENT, ...ALL_TASKS];
const PUSH: Opening = ['push', 'push:all'];
const ALL_PUSH: Opening = ['push:all'];
const OPERATORS: Opening = [
  ...[...TASKS, ...AGENTS, ...PUSH, ...TEAM_ACCESS, ...ROUTING, ...AUDIT, ...DATA],
];

/** Every route of the admin API below `/api/v1/`, by who may call it; `X` stands for something that there is not. */
const ROUTES: readonly (readonly [opening: Opening, routes: string])[] = [
  [ADMIN, 'GET signing-keys, POST signing-keys, DELETE signing-keys/X, GET secrets'],
  [ADMIN, 'GET logging, PATCH logging'],
  [AUDIT, 'GET audit, POST audit:verify, GET audit:export, GET audit/exports'],
  [TEAM_ACCESS, 'POST keys, GET keys, PATCH keys/X, DELETE keys/X, POST keys/X:rotate'],
  [OWN_OR_TEAM_ACCESS, 'GET consents, DELETE consents/X'],
  [ACCESS, 'GET sign-in-blocks, DELETE sign-in-blocks/X'],
  [DATA, 'POST data/deletions, GET data/deletions, GET data/deletions/X'],
  [DATA, 'POST data/deletions/X:cancel'],
  [DATA, 'POST data/exports, GET data/exports, GET data/exports/X, GET data/exports/X/content'],
  [DATA, 'POST data/exports/X:cancel'],
  [ACCESS, 'POST organizations, DELETE organizations/X'],
  [ACCESS, 'POST organizations/X:disable, POST organizations/X:enable'],
  [TEAM_ACCESS, 'GET organizations, GET organizations/X, PATCH organizations/X'],
  [TEAM_ACCESS, 'POST principals, GET principals, GET principals/X, PATCH principals/X'],
  [TEAM_ACCESS, 'DELETE principals/X, POST principals/X:disable, POST principals/X:enable'],
  [ACCESS, 'POST principals/X:handover'],
  [ACCESS, 'POST policies, GET policies, POST policies:dry-run, GET policies/X'],
  [ACCESS, 'PATCH policies/X, DELETE policies/X, GET policies/X/versions'],
  [ACCESS, 'GET limits, GET limits/X, PUT limits/X, DELETE limits/X'],
  [ACCESS, 'GET usage, GET usage/organizations, GET usage/limits, GET usage/spending'],
  [ACCESS, 'GET usage/organizations/X/principals'],
  [AGENTS, 'GET agents/events/log, GET agents/events, POST agents:check, POST agents, GET agents'],
  [AGENTS, 'GET agents/X, PATCH agents/X, DELETE agents/X, POST agents/X:refresh'],
  [AGENTS, 'POST agents/X:kill, GET agents/X/credentials/X, PUT agents/X/credentials/X'],
  [AGENTS, 'DELETE agents/X/credentials/X, GET agents/X/activity, GET agents/X/card'],
  [OPERATORS, 'GET overview'],
  [ANY, 'GET me'],
  [CLIENT, 'POST routes:dry-run, GET usage/me'],
  [OWN_OR_ALL_TASKS, 'DELETE tasks/X'],
  [TASKS, 'GET tasks, GET tasks:count, GET tasks/X, GET tasks/X/explain, GET tasks/X/events'],
  [ALL_TASKS, 'GET tasks/X/content, POST tasks/X:cancel, POST tasks/X:retry'],
  [ALL_PUSH, 'POST push/auth-profiles, PATCH push/auth-profiles/X, DELETE push/auth-profiles/X'],
  [ALL_PUSH, 'POST push/auth-profiles/X:rotate'],
  [PUSH, 'GET push/auth-profiles, GET push/auth-profiles/X, GET push/endpoints'],
  [PUSH, 'GET push/event-log, GET push/events, GET push/deliveries, GET push/deliveries/X'],
  [PUSH, 'GET push/deliveries/X/attempts, POST push/deliveries/X:redeliver, GET push/dead-letters'],
  [
    PUSH,
    'GET push/dead-letters:count, POST push/dead-letters:redeliver, POST push/dead-letters:purge',
  ],
  [PUSH, 'GET push/dead-letters:by-receiver'],
  [PUSH, 'GET push/configs, POST push/configs, GET push/configs/X, PATCH push/configs/X'],
  [PUSH, 'DELETE push/configs/X, POST push/configs/X:pause, POST push/configs/X:resume'],
  [PUSH, 'POST push/configs/X:rotate, POST push/configs/X:replay, POST push/configs/X:verify'],
  [PUSH, 'POST push/configs/X:test'],
  [PUSH, 'POST push/subscriptions, GET push/subscriptions, GET push/subscriptions/X'],
  [PUSH, 'PATCH push/subscriptions/X, DELETE push/subscriptions/X'],
  [PUSH, 'POST push/subscriptions/X:pause, POST push/subscriptions/X:resume'],
  [PUSH, 'POST push/subscriptions/X:rotate, POST push/subscriptions/X:test'],
  [ROUTING, 'POST composite-skills, GET composite-skills, POST composite-skills:validate'],
  [ROUTING, 'GET composite-skills/X, PATCH composite-skills/X, DELETE composite-skills/X'],
  [ROUTING, 'GET composite-skills/X/versions, GET composite-skills/X/versions/X'],
  [ROUTING, 'POST routes/rules, GET routes/rules, POST routes/rules:reorder, GET routes/rules/X'],
  [ROUTING, 'POST routes/rules:validate'],
  [ROUTING, 'PATCH routes/rules/X, DELETE routes/rules/X'],
  [ROUTING, 'GET routes/rules/X/versions, GET routes/rules/X/versions/X'],
];

export interface AdminRoute {
  readonly method: string;
  /** With `X` for each parameter. */
  readonly path: string;
  readonly opening: Opening;
}

export const ADMIN_ROUTES: readonly AdminRoute[] = ROUTES.flatMap(([opening, routes]) =>
  routes.split(', ').map((route) => {
    const [method, path] = route.split(' ') as [string, string];
    return { method, path: `/api/v1/${path}`, opening };
  }),
);
