/** How a principal stands: since when it lacks what. Times in epoch milliseconds, null while it lacks nothing. */
export interface PrincipalStatus {
  readonly organization: string;
  readonly disabledAt: number | null;
  /** No valid key. */
  readonly keylessSince: number | null;
  /** No valid key with scope `tasks:organization` or `admin`. */
  readonly narrowSince: number | null;
  /** No valid key with scope `admin`. */
  readonly plainSince: number | null;
}

/**
 * What is sent for a principal without a call of its own. `webhook`: of one task; it ends with that.
 * `own`: by a subscription for its own tasks; `organization`: by one for all of an organization.
 */
export interface Sending {
  readonly kind: 'webhook' | 'own' | 'organization';
  /** Whose tasks they are; only an operator may ask for those of another organization than its own. */
  readonly organization: string;
}

/** Why nothing is sent for a principal. */
export const HOLDS = ['principal-disabled', 'no-valid-key', 'scope-lost'] as const;
export type Hold = (typeof HOLDS)[number];

/**
 * Why this is not sent for its principal at `now`; null when it is. A principal that is disabled has
 * nothing sent, from that moment on. What stands without an end needs a key that could ask for it still;
 * `graceMs` after the last one is gone it is held.
 */
export function holdOf(
  status: PrincipalStatus,
  sending: Sending,
  now: Date,
  graceMs: number,
): Hold | null {
  if (status.disabledAt !== null) return 'principal-disabled';
  if (sending.kind === 'webhook') return null;
  const isOver = (since: number | null): boolean =>
    since !== null && now.getTime() >= since + graceMs;
  if (isOver(status.keylessSince)) return 'no-valid-key';
  if (sending.kind === 'own') return null;
  const isForeign = sending.organization !== status.organization;
  return isOver(isForeign ? status.plainSince : status.narrowSince) ? 'scope-lost' : null;
}
