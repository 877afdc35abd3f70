import type { Principal } from './principal.js';

/** The operator who has acted on behalf of another principal, through the admin API. */
export interface Operator {
  readonly principalId: string;
  /** The key it came with; absent for the configured admin key. */
  readonly keyId?: string;
  /** The operator's reason, which the client sees too. */
  readonly reason?: string;
}

export function operatorOf({ id, keyId }: Principal, reason?: string): Operator {
  return {
    principalId: id,
    ...(keyId !== undefined && { keyId }),
    ...(reason !== undefined && { reason }),
  };
}
