import type { Pages } from '../api/pages';
import { DataTable, type DataTableProps } from './data-table';
import { Loaded } from './feedback';

/** A list of the hub as a table: further pages are loaded as one scrolls. */
export function PagedTable<Row extends object>({
  pages,
  ...table
}: Omit<DataTableProps<Row>, 'rows' | 'hasMore' | 'loadedPages' | 'loadingMore' | 'onMore'> & {
  readonly pages: Pages<Row>;
}) {
  return (
    <Loaded query={pages}>
      {(rows) => (
        <DataTable
          {...table}
          rows={rows}
          hasMore={pages.hasMore}
          loadedPages={pages.loaded}
          loadingMore={pages.loadingMore}
          onMore={pages.onMore}
        />
      )}
    </Loaded>
  );
}
