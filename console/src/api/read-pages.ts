import { PAGE_ROWS, type PageOf } from './pages';

/** The first rows of a list of the hub, and whether there are more. */
export interface FirstRows<Item> {
  readonly rows: readonly Item[];
  readonly hasMore: boolean;
}

/** Pages that are read at most for each one that would be full of rows that count. */
const PAGES_FOR_ONE = 10;

/**
 * Reads a list of the hub page by page, until it ends or `most` rows that count have come; those that do not are among the rows, and
 * are looked through up to a bound. `read` is given what asks for a page.
 */
export async function readPages<Item>(
  most: number,
  read: (query: {
    readonly limit: number;
    readonly cursor?: string;
  }) => Promise<{ readonly data?: PageOf<Item> }>,
  counts: (item: Item) => boolean = () => true,
): Promise<FirstRows<Item>> {
  const rows: Item[] = [];
  let counted = 0;
  let cursor: string | null = null;
  let left = Math.ceil(most / PAGE_ROWS) * PAGES_FOR_ONE;
  do {
    left -= 1;
    const { data } = await read({ limit: PAGE_ROWS, ...(cursor !== null && { cursor }) });
    for (const item of data!.items) {
      if (counted === most) return { rows, hasMore: true };
      rows.push(item);
      if (counts(item)) counted += 1;
    }
    cursor = data!.nextCursor;
  } while (cursor !== null && left > 0 && counted < most);
  return { rows, hasMore: cursor !== null };
}
