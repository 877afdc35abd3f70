/**
 * Whether the stream is claimed, given {@link leaseBounds}. A lease that ends later than any can is of a
 * clock that has been set back since: it counts for nothing.
 */
export const LEASED = '(lease_until > ? AND lease_until <= ?)';
/** The opposite. */
export const NOT_LEASED = '(lease_until IS NULL OR lease_until <= ? OR lease_until > ?)';

/** Twice a lease: clocks may differ, or be set back a little, without a claim being taken for none. */
export function leaseBounds(at: number, leaseMs: number): [number, number] {
  return [at, at + 2 * leaseMs];
}
