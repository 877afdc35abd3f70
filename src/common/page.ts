/** How many items a page of the A2A API has when the client leaves it to the hub, and at most (A2A §3.1.4). */
export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 100;

/** One page of a list of the admin API. `nextCursor` is null on the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}
