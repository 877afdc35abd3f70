/** So much of what is shared is kept for those that have little of it. */
const KEPT_PART = 1 / 16;
/** One newcomer gets so much of what is kept, at least one. */
const PART_OF_ONE = 1 / 4;
/** From so many on, a part is kept whoever there is: it costs nobody anything. */
const MANY = 64;

/**
 * How many of `most` places are kept for organizations that have few or none; one at least of a few
 * places, as long as more than one organization (`several`) may come.
 */
export function keptOf(most: number, several: boolean): number {
  if (most === Infinity || most < 2 || (most < MANY && !several)) return 0;
  return Math.max(1, Math.floor(most * KEPT_PART));
}

/** Places of a kind, as one organization sees them. */
export interface Share {
  /** How many are free. */
  readonly left: number;
  /** How many of all are kept for newcomers. */
  readonly kept: number;
  /** How many the organization has. */
  readonly held: number;
}

/**
 * How many more an organization may take: all but what is kept, and of that a part, until it has as much
 * as the part. So whoever is alone has nearly all, and a newcomer finds a place at once.
 */
export function roomIn({ left, kept, held }: Share): number {
  const part = kept === 0 ? 0 : Math.max(1, Math.floor(kept * PART_OF_ONE));
  return Math.max(0, left - kept, Math.min(left, part - held));
}
