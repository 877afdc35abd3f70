import { namedList } from '../common/named-list.js';
import type { Refusal } from '../common/hub-error.js';

/** Stands among the ids of policies that refused where none permits. */
export const DEFAULT_DENIES = 'policies.default';
/** Policies that a sentence names. */
const MAX_NAMED = 5;

/** A refusal by these policies, as the audit log tells of it; undefined: by one that could not be evaluated. */
export function refusalBy(policy: string | undefined): Refusal {
  return policy === undefined ? { cause: 'policy' } : { cause: 'policy', policy };
}

/** The same as a sentence for operators. */
export function refusalSentence(policy: string | undefined): string {
  if (policy === undefined) return 'Policies refuse it, since they cannot be evaluated.';
  const ids = policy.split(',').filter((id) => id !== DEFAULT_DENIES);
  if (ids.length === 0) return 'No policy permits it.';
  const named = namedList(ids, MAX_NAMED);
  return `It is forbidden by the ${ids.length === 1 ? 'policy' : 'policies'} ${named}.`;
}
