import {
  constructSortFn,
  createSortedRowModel,
  type ColumnDef,
  rowSortingFeature,
  sortFn_alphanumeric,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type ReactNode, useEffect, useMemo, useRef } from 'react';
import { Button } from './button';
import { classNames } from './class-names';
import type { Column } from './column';
import { type RowChoice, useChoiceColumn } from './row-choice';

export type { Column };

export interface DataTableProps<Row> {
  /** What the table holds, to screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowId: (row: Row) => string;
  /** Shown in place of no rows. */
  readonly empty: ReactNode;
  readonly selected?: (row: Row) => boolean;
  /** Its rows can be chosen. */
  readonly choice?: RowChoice<Row> | undefined;
  /**
   * There are further rows, which `onMore` loads; called by itself near the end of what is loaded, until a page has added no
   * row: a filter that leaves few would look through everything.
   */
  readonly hasMore?: boolean;
  readonly loadedPages?: number;
  readonly loadingMore?: boolean;
  readonly onMore?: () => void;
}

/** The least room for a share of the width; a table that needs more than there is scrolls. On narrow screens it does so anyway. */
const SHARE_REM = 5.5;
const NARROW_SHARE_REM = 7.5;
const ROW_PX = 44;
const OVERSCAN = 8;
/** Rows before the end at which the next page is loaded. */
const AHEAD = 10;

const { sort: sortTexts, resolveDataValue: textOf } = sortFn_alphanumeric;

/** Numbers by what they are, behind all that is none; texts with the numbers in them as such: `item 2` before `item 10`. */
const byValue = constructSortFn({
  resolveDataValue: (value: unknown): unknown =>
    typeof value === 'number' ? value : textOf!(value),
  sort(one: unknown, other: unknown, ...rest) {
    if (typeof one !== 'number' && typeof other !== 'number') return sortTexts(one, other, ...rest);
    if (typeof one !== 'number') return -1;
    if (typeof other !== 'number') return 1;
    return one < other ? -1 : one > other ? 1 : 0;
  },
});

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { byValue },
});

/** Rows of a list: only those in view are in the document, so that 10,000 scroll as ten do. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const {
    label,
    columns: given,
    rows,
    rowId,
    empty,
    selected,
    choice,
    hasMore = false,
    loadedPages = 0,
    loadingMore = false,
    onMore,
  } = props;
  const order = useRef<readonly Row[]>(rows);
  const columns = [...useChoiceColumn(choice, rowId, order), ...given];
  const shown = useRef(columns);
  useEffect(() => {
    shown.current = columns;
  });
  // Columns are the same for as long as their ids are; their cells are taken anew at each rendering.
  const ids = columns.map(({ id }) => id).join(' ');
  const definitions = useMemo(
    () =>
      columns.map((column): ColumnDef<typeof features, Row> => ({
        id: column.id,
        header: column.header,
        enableSorting: column.sortBy !== undefined,
        accessorFn: (row: Row) => column.sortBy?.(row) ?? '',
        sortFn: 'byValue',
      })),
    // oxlint-disable-next-line react/exhaustive-deps
    [ids],
  );
  const table = useTable({
    features,
    columns: definitions,
    data: rows,
    getRowId: rowId,
  });
  const scroller = useRef<HTMLDivElement>(null);
  const models = table.getRowModel().rows;
  useEffect(() => {
    order.current = models.map(({ original }) => original);
  }, [models]);
  const virtualizer = useVirtualizer({
    count: models.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    getItemKey: (index) => models[index]?.id ?? index,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  const isNearEnd = last >= models.length - AHEAD;
  // What there was when a page was last loaded by itself.
  const before = useRef({ pages: 0, rows: 0 });
  useEffect(() => {
    if (!hasMore || loadingMore || !isNearEnd) return;
    const { pages, rows } = before.current;
    if (loadedPages > pages && models.length <= rows) return;
    before.current = { pages: loadedPages, rows: models.length };
    onMore?.();
  }, [hasMore, loadingMore, isNearEnd, loadedPages, models.length, onMore]);
  if (rows.length === 0 && !hasMore) return <>{empty}</>;
  const above = items[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  const byId = new Map(columns.map((column) => [column.id, column]));
  const shares = sharesOf(columns);
  const least = {
    '--wide': `${shares * SHARE_REM}rem`,
    '--narrow': `${sharesOf(columns.filter(({ minor }) => !minor)) * NARROW_SHARE_REM}rem`,
  } as CSSProperties;
  return (
    <div className="table-scroll" ref={scroller} tabIndex={0} role="region" aria-label={label}>
      <table className="table" style={least} aria-rowcount={hasMore ? -1 : models.length + 1}>
        <colgroup>
          {columns.map(({ id, share = 1, minor }) => (
            <col
              key={id}
              className={minor ? 'minor' : undefined}
              style={{ width: `${(100 * share) / shares}%` }}
            />
          ))}
        </colgroup>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} aria-rowindex={1}>
              {group.headers.map(({ id, column }) => {
                const given = byId.get(id);
                const sorted = column.getIsSorted();
                return (
                  <th
                    key={id}
                    scope="col"
                    className={classNames(given?.minor && 'minor', given?.align === 'end' && 'end')}
                    aria-sort={
                      sorted === false ? undefined : sorted === 'asc' ? 'ascending' : 'descending'
                    }
                  >
                    {column.getCanSort() ? (
                      <button type="button" className="sort" onClick={() => column.toggleSorting()}>
                        {given?.header}
                        <span aria-hidden="true">
                          {sorted === 'asc' ? ' ↑' : sorted === 'desc' ? ' ↓' : ''}
                        </span>
                      </button>
                    ) : (
                      given?.header
                    )}
                  </th>
                );
              })}
            </tr>
          ))}
        </thead>
        <tbody>
          {above > 0 && <tr aria-hidden="true" style={{ height: above }} />}
          {items.map(({ index, key }) => {
            const model = models[index]!;
            return (
              <tr
                key={key}
                data-index={index}
                ref={virtualizer.measureElement}
                aria-rowindex={index + 2}
                className={selected?.(model.original) ? 'selected' : undefined}
              >
                {columns.map((column) => (
                  <td
                    key={column.id}
                    className={classNames(column.minor && 'minor', column.align === 'end' && 'end')}
                  >
                    {column.cell(model.original)}
                  </td>
                ))}
              </tr>
            );
          })}
          {below > 0 && <tr aria-hidden="true" style={{ height: below }} />}
        </tbody>
      </table>
      {hasMore && (
        <p className="table-more">
          <Button small busy={loadingMore} onClick={() => onMore?.()}>
            {isNearEnd && !loadingMore ? 'Look further' : 'Load more'}
          </Button>
        </p>
      )}
    </div>
  );
}

function sharesOf(columns: readonly { readonly share?: number }[]): number {
  return columns.reduce((sum, { share = 1 }) => sum + share, 0);
}
