/** What a key may do. `a2a`: the A2A API; `admin`: everything. */
export const SCOPES = ['a2a', 'tasks:organization', 'push', 'agents', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];
