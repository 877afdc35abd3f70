/** This part of what is shared is reserved for organizations that have little of it. */
const RESERVED_PART = 1 / 16;
/** One newcomer gets this part of what is reserved, at least one. */
const PART_OF_ONE = 1 / 4;
/** From so many permits on, a part is always reserved: it costs hardly anything. */
const MANY = 64;

/**
 * How many of `most` permits are reserved for organizations that hold few or none; at least one of a few
 * permits, as long as more than one organization (`several`) may send tasks.
 */
export function reservedOf(most: number, several: boolean): number {
  if (most === Infinity || most < 2 || (most < MANY && !several)) return 0;
  return Math.max(1, Math.floor(most * RESERVED_PART));
}

/** Permits of one kind, as one organization sees them. */
export interface Share {
  /** How many are free. */
  readonly free: number;
  /** How many of all are reserved for newcomers. */
  readonly reserved: number;
  /** How many the organization holds. */
  readonly held: number;
}

/**
 * How many more an organization may acquire: all but what is reserved, and of that a part, until it holds as
 * much as the part. So a sole organization has nearly all, and a newcomer gets a permit at once.
 */
export function availableTo({ free, reserved, held }: Share): number {
  const part = reserved === 0 ? 0 : Math.max(1, Math.floor(reserved * PART_OF_ONE));
  return Math.max(0, free - reserved, Math.min(free, part - held));
}
