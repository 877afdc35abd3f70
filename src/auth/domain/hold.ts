/** Since when a principal lacks what; times in epoch milliseconds, null while it lacks nothing. */
export interface PrincipalStanding {
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
 * `own`: a standing subscription for its own tasks; `organization`: for all of its organization's;
 * `foreign`: for those of another organization.
 */
export type Sending = 'webhook' | 'own' | 'organization' | 'foreign';

/** Why nothing is sent for a principal. */
export const HOLDS = ['principal-disabled', 'no-valid-key', 'scope-lost'] as const;
export type Hold = (typeof HOLDS)[number];

/**
 * Why this is not sent for its principal at `now`; null when it is. A principal that is disabled has
 * nothing sent, from that moment on. What stands without an end needs a key that could ask for it still;
 * `graceMs` after the last one is gone it is held.
 */
export function holdOf(
  standing: PrincipalStanding,
  sending: Sending,
  now: Date,
  graceMs: number,
): Hold | null {
  if (standing.disabledAt !== null) return 'principal-disabled';
  if (sending === 'webhook') return null;
  const isOver = (since: number | null): boolean =>
    since !== null && now.getTime() >= since + graceMs;
  if (isOver(standing.keylessSince)) return 'no-valid-key';
  if (sending === 'organization' && isOver(standing.narrowSince)) return 'scope-lost';
  if (sending === 'foreign' && isOver(standing.plainSince)) return 'scope-lost';
  return null;
}
