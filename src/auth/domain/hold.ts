/** How a principal stands: since when it lacks what. Times in epoch milliseconds, null while it lacks nothing. */
export interface PrincipalStatus {
  readonly organization: string;
  /** It, or its organization. */
  readonly disabledAt: number | null;
  /** Its organization. */
  readonly organizationDisabledAt: number | null;
  /** No valid key. */
  readonly keylessSince: number | null;
  /** No valid key with scope `tasks:organization`, `tasks:all` or `admin`. */
  readonly narrowSince: number | null;
  /** No valid key with scope `push:all` or `admin`. */
  readonly plainSince: number | null;
}

/**
 * What the hub does for a principal without a call of its own. `task`: for one task, it ends with that. Without
 * an end: `own`, for its own tasks; `organization`, for all of an organization.
 */
export interface OnBehalf {
  readonly scope: 'task' | 'own' | 'organization';
  /** Whose tasks they are; only an operator may ask for those of another organization than its own. */
  readonly organization: string;
}

/** Why nothing is done for a principal without a call of its own. */
export const HOLDS = [
  'organization-disabled',
  'principal-disabled',
  'no-valid-key',
  'scope-lost',
] as const;
export type Hold = (typeof HOLDS)[number];

/**
 * Why this is held back from its principal at `now`; null when it is not. For a principal that is disabled nothing
 * is done, from that moment on. What has no end needs a key that could ask for it still; `graceMs` after the last
 * one is gone it is held. What is for a task of another organization needs one at any moment: that the id of the principal
 * is the same says nothing there of whose it was.
 */
export function holdOf(
  status: PrincipalStatus,
  work: OnBehalf,
  now: Date,
  graceMs: number,
): Hold | null {
  if (status.organizationDisabledAt !== null) return 'organization-disabled';
  if (status.disabledAt !== null) return 'principal-disabled';
  const isForeign = work.organization !== status.organization;
  if (work.scope === 'task') return isForeign && status.plainSince !== null ? 'scope-lost' : null;
  const isOver = (since: number | null): boolean =>
    since !== null && now.getTime() >= since + graceMs;
  if (isOver(status.keylessSince)) return 'no-valid-key';
  if (work.scope === 'own') return null;
  return isOver(isForeign ? status.plainSince : status.narrowSince) ? 'scope-lost' : null;
}
