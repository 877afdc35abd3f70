import type { Principal } from './principal.js';

/** Who has acted in somebody else's place, through the admin API. */
export interface Operator {
  readonly principalId: string;
  /** The key it came with; absent for the configured admin key. */
  readonly keyId?: string;
  /** In the operator's words, for whom it concerns too. */
  readonly reason?: string;
}

export function operatorOf({ id, keyId }: Principal, reason?: string): Operator {
  return {
    principalId: id,
    ...(keyId !== undefined && { keyId }),
    ...(reason !== undefined && { reason }),
  };
}
