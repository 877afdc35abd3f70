import type { Refusal } from '../common/hub-error.js';

/** A refusal by these policies, as the audit log tells of it; undefined: by one that could not be evaluated. */
export function refusalBy(policy: string | undefined): Refusal {
  return policy === undefined ? { cause: 'policy' } : { cause: 'policy', policy };
}
