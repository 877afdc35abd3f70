import { PAGE_ROWS, type PageOf } from './pages';

/** The first rows of a list of the hub, and whether there are more. */
export interface FirstRows<Item> {
  readonly rows: readonly Item[];
  readonly hasMore: boolean;
}

/** Reads a list of the hub page by page, until it ends or has as many pages as `most` rows fill. `read` is given what asks for a page. */
export async function readPages<Item>(
  most: number,
  read: (query: {
    readonly limit: number;
    readonly cursor?: string;
  }) => Promise<{ readonly data?: PageOf<Item> }>,
): Promise<FirstRows<Item>> {
  const rows: Item[] = [];
  let cursor: string | null = null;
  let left = Math.ceil(most / PAGE_ROWS);
  do {
    left -= 1;
    const { data } = await read({ limit: PAGE_ROWS, ...(cursor !== null && { cursor }) });
    rows.push(...data!.items);
    cursor = data!.nextCursor;
  } while (cursor !== null && left > 0);
  return { rows: rows.slice(0, most), hasMore: cursor !== null || rows.length > most };
}
