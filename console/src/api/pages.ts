import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { paced } from './pace';
import { type Span, spanOf, type TimeRange } from './time-span';

export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** The rows of a list of the hub that are loaded, and how further ones are. */
export interface Pages<Item> {
  readonly rows: readonly Item[];
  /** The same rows; undefined until the first page has come. */
  readonly data: readonly Item[] | undefined;
  /** The times that they are from, where the list is of a range of time: what is meant by all that match. */
  readonly span: Span;
  readonly error: unknown;
  readonly isPending: boolean;
  /** How many pages are loaded. */
  readonly loaded: number;
  readonly refetch: () => unknown;
  readonly hasMore: boolean;
  readonly loadingMore: boolean;
  readonly onMore: () => void;
}

/** Rows that one page holds: the most that the hub gives. */
export const PAGE_ROWS = 200;

/** Rows of the first page of a list whose rows cost the hub much: more than a screen shows. It is what is read anew. */
const FIRST_ROWS = 50;

/** How many rows a page of such a list holds. */
export function pageRows(cursor: string | undefined): number {
  return cursor === undefined ? FIRST_ROWS : PAGE_ROWS;
}

/** How long a list waits before it is read anew: at least, at most, and how many times what the last reading took. */
const EVERY_MS = 5_000;
const SELDOM_MS = 60_000;
const TIMES = 50;
/**
 * Beyond these, a list is read anew only when something was changed: who has scrolled that far reads. Who comes back to it
 * begins with these.
 */
const LIVE_PAGES = 2;

/**
 * A list of the hub, page by page, read anew every five seconds while it is shown; from a hub that is busy or slow to answer less
 * often, so that lists left open do not keep it busy. `key` begins with what the list
 * belongs to, so that `queries.invalidateQueries` reaches it, and names all that `read` depends on but `range`. What that means is
 * found out when the first page is read, and holds for the further ones: a list of the last hour is not another one each minute.
 */
export function usePages<Item>(
  key: readonly unknown[],
  read: (
    cursor: string | undefined,
    signal: AbortSignal,
    span: Span,
  ) => Promise<{ readonly data?: PageOf<Item> }>,
  {
    enabled = true,
    range: { range, since, until } = {},
  }: { readonly enabled?: boolean; readonly range?: TimeRange } = {},
): Pages<Item> {
  const took = useRef(0);
  const queryKey = [...key, range, since, until];
  const now = () => spanOf({ range, since, until });
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam: { cursor, span = now() }, signal }) => {
      const began = performance.now();
      const { data } = await read(cursor, signal, span);
      took.current = performance.now() - began;
      return { ...data!, span };
    },
    initialPageParam: {} as PlaceInList,
    getNextPageParam: ({ nextCursor, span }) =>
      nextCursor ? { cursor: nextCursor, span } : undefined,
    placeholderData: keepPreviousData,
    refetchInterval: (shown) =>
      isLive(shown) && Math.min(SELDOM_MS, Math.max(paced(EVERY_MS), TIMES * took.current)),
    refetchOnWindowFocus: isLive,
    refetchOnReconnect: isLive,
    enabled,
    select: ({ pages }) => ({
      rows: pages.flatMap(({ items }) => items),
      span: pages[0]?.span,
      loaded: pages.length,
    }),
  });
  useForgottenPages(queryKey);
  return {
    // Not that of the list before, which is shown until this one has come.
    span: (query.isPlaceholderData ? undefined : query.data?.span) ?? now(),
    rows: query.data?.rows ?? [],
    data: query.data?.rows,
    loaded: query.data?.loaded ?? 0,
    error: query.error,
    isPending: query.isPending,
    refetch: query.refetch,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    onMore: () => void query.fetchNextPage(),
  };
}

/** Where a page begins; the first one knows neither. */
interface PlaceInList {
  readonly cursor?: string;
  readonly span?: Span;
}

type LoadedPages = InfiniteData<unknown, unknown>;

function isLive({ state }: { readonly state: { readonly data?: LoadedPages | undefined } }) {
  return (state.data?.pages.length ?? 0) <= LIVE_PAGES;
}

/** Leaves the first pages alone of a list that is shown no more: to read very many anew would take long. */
function useForgottenPages(key: readonly unknown[]): void {
  const queries = useQueryClient();
  const id = JSON.stringify(key);
  useEffect(
    () => () => {
      const state = queries.getQueryState<LoadedPages>(key);
      if (!state || isLive({ state })) return;
      queries.setQueryData<LoadedPages>(key, firstOf, { updatedAt: state.dataUpdatedAt });
    },
    // The key is a new array at each rendering.
    // oxlint-disable-next-line react/exhaustive-deps
    [id, queries],
  );
}

function firstOf(loaded: LoadedPages | undefined): LoadedPages | undefined {
  return (
    loaded && {
      pages: loaded.pages.slice(0, LIVE_PAGES),
      pageParams: loaded.pageParams.slice(0, LIVE_PAGES),
    }
  );
}
