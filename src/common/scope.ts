/** What a key, a token or a certificate may do; docs/access.md says what each is for. */
export const SCOPES = [
  'a2a',
  'tasks:organization',
  'tasks:all',
  'push',
  'push:all',
  'agents:organization',
  'agents',
  'routing',
  'access:organization',
  'access',
  'audit',
  'data',
  'admin',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes that give the same for all organizations. */
const WIDER: Readonly<Partial<Record<Scope, Scope>>> = {
  'tasks:organization': 'tasks:all',
  push: 'push:all',
  'agents:organization': 'agents',
  'access:organization': 'access',
};

/** Whether these scopes give what one says: it is among them, or one that holds it. `admin` holds all of them. */
export function holds(scopes: ReadonlySet<Scope>, scope: Scope): boolean {
  if (scopes.has(scope) || scopes.has('admin')) return true;
  const wider = WIDER[scope];
  return wider !== undefined && scopes.has(wider);
}
