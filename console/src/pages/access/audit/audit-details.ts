/** What the details of an entry say in a line; docs/audit.md lists their members. */

type Details = Readonly<Record<string, unknown>>;

/** Why something was refused or failed: a code, or words. */
export function causeOf(details: object | null): string {
  const { cause, reason, scope, count } = (details ?? {}) as Details;
  return [
    typeof cause === 'string' ? cause.replaceAll('-', ' ') : reason,
    typeof scope === 'string' && `lacks ${scope}`,
    typeof count === 'number' && count > 1 && `${count} times`,
  ]
    .filter((each) => typeof each === 'string')
    .join(', ');
}

/** What a call that was refused was about: a route, or a limit. */
export function aboutOf(details: object | null): string {
  const { route, limit } = (details ?? {}) as Details;
  if (typeof route === 'string') return route;
  if (typeof limit !== 'object' || limit === null) return '';
  const { kind, ...subject } = limit as Details;
  return [kind, ...Object.values(subject)].filter((each) => typeof each === 'string').join(' ');
}
