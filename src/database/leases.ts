/**
 * Whether a row is leased no longer, given {@link leaseBounds}. A lease that ends later than any can is of a
 * clock that has been set back since: it counts for nothing.
 */
export function unleased(column: string): string {
  return `(${column} IS NULL OR ${column} <= ? OR ${column} > ?)`;
}

/** Twice a lease: clocks may differ, or be set back a little, without a lease being taken for none. */
export function leaseBounds(at: number, leaseMs: number): [number, number] {
  return [at, at + 2 * leaseMs];
}
