/**
 * What is wrong at a place.
 * - `entry-missing`: there are later entries, but not this one.
 * - `entry-changed`: it has not the hash that it should have, or cannot be read.
 * - `entry-does-not-follow`: it does not name the hash of the one before it; one of the two was changed or put there.
 * - `entry-is-not-what-was-signed`: the chain fits together, but not with this anchor: some of it was written anew.
 * - `entries-missing-at-end`: there were more.
 * - `anchor-missing`, `anchor-changed`: the same of anchors.
 * - `anchor-not-signed`: its signature is none of this hub's, or of a key that had been revoked before it.
 */
export const BREAKS = [
  'entry-missing',
  'entry-changed',
  'entry-does-not-follow',
  'entry-is-not-what-was-signed',
  'entries-missing-at-end',
  'anchor-missing',
  'anchor-changed',
  'anchor-not-signed',
] as const;
export type Break = (typeof BREAKS)[number];

/** Where the audit log is not as it was written. */
export interface BrokenPlace {
  readonly what: Break;
  /** Null when it is the anchors. */
  readonly chain: string | null;
  /** The number of the entry in its chain. */
  readonly seq: number | null;
  /** The number of the anchor. */
  readonly anchor: number | null;
}
