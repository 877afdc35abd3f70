import type { PolicyDecision } from './policy.js';

/** Why it was decided so, as a clause without an end. */
export function explain({ isAllowed, policies, errors }: PolicyDecision): string {
  if (errors.length > 0)
    return `it is refused since policies cannot be evaluated: ${errors.join('; ')}`;
  const [first] = policies;
  if (first === undefined) return 'no policy permits it';
  if (policies.every(({ id }) => id === 'built-in')) {
    return 'it is permitted by default, and no policy forbids it';
  }
  const names = [...new Set(policies.map(({ id }) => id).filter((id) => id !== 'built-in'))];
  const reasons = policies.flatMap(({ reason }) => reason ?? []);
  const why = reasons.length === 0 ? '' : ` (${[...new Set(reasons)].join('; ')})`;
  return `it is ${isAllowed ? 'permitted' : 'forbidden'} by ${names.join(', ')}${why}`;
}
