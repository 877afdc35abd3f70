import Papa from 'papaparse';
import { useMemo, useState } from 'react';
import { type Column, DataTable } from '../data-table';
import { counted } from '../lists';

const SHOWN_ROWS = 100;
const SHOWN_COLUMNS = 40;
const SHOWN_CELL = 300;

interface Row {
  readonly index: number;
  readonly cells: readonly string[];
}

/** To be loaded with `lazy`. The first line has the names of the columns. */
export default function CsvTable({
  text,
  label,
}: {
  readonly text: string;
  readonly label: string;
}) {
  const [whole, setWhole] = useState(false);
  const { header, rows } = useMemo(() => read(text), [text]);
  const columns = useMemo(() => columnsOf(header), [header]);
  return (
    <div className="csv">
      <DataTable
        label={label}
        columns={columns}
        rows={whole ? rows : rows.slice(0, SHOWN_ROWS)}
        rowId={({ index }) => String(index)}
        empty={<p className="faint">No rows below the names of the columns.</p>}
      />
      <p className="faint csv-foot">
        {counted(rows.length, 'row')}, {counted(header.length, 'column')}
        {header.length > SHOWN_COLUMNS && ` (the first ${SHOWN_COLUMNS} are shown)`}
        {!whole && rows.length > SHOWN_ROWS && (
          <>
            , the first {SHOWN_ROWS} are shown.{' '}
            <button type="button" className="link" onClick={() => setWhole(true)}>
              Show all {rows.length.toLocaleString('en')} rows
            </button>
          </>
        )}
      </p>
    </div>
  );
}

function read(text: string): { readonly header: readonly string[]; readonly rows: readonly Row[] } {
  const { data } = Papa.parse<string[]>(text, { skipEmptyLines: 'greedy' });
  const [header = [], ...lines] = data;
  return { header, rows: lines.map((cells, index) => ({ index, cells })) };
}

function columnsOf(header: readonly string[]): readonly Column<Row>[] {
  return header.slice(0, SHOWN_COLUMNS).map((name, at) => ({
    id: String(at),
    header: name.slice(0, SHOWN_CELL) || `Column ${at + 1}`,
    cell: ({ cells }) => cut(cells[at] ?? ''),
    sortBy: ({ cells }) => sortValue(cells[at] ?? ''),
  }));
}

function cut(text: string): string {
  return text.length > SHOWN_CELL ? `${text.slice(0, SHOWN_CELL)}…` : text;
}

function sortValue(text: string): string | number {
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? text : value;
}
