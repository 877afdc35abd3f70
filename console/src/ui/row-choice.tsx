import { type RefObject, useRef, useState } from 'react';
import type { Column } from './column';

/** Rows of a table that are chosen, to do something with all of them. */
export interface RowChoice<Row> {
  /** Their ids. */
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
  /** Whether a row can be chosen; absent: each can. */
  readonly canChoose?: (row: Row) => boolean;
  /** Of the box of a row. */
  readonly labelOf: (row: Row) => string;
}

/**
 * The ids of the rows that are chosen. What is no longer shown is not chosen any more, lest it be acted on unseen; and
 * nothing is when other rows are looked for, which `filters` say.
 */
export function useChosen<Row>(
  rows: readonly Row[],
  rowId: (row: Row) => string,
  filters: object,
): readonly [ReadonlySet<string>, (chosen: ReadonlySet<string>) => void] {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(NONE);
  const looksFor = JSON.stringify(filters);
  const [last, setLast] = useState(looksFor);
  if (last !== looksFor) {
    setLast(looksFor);
    setChosen(NONE);
  }
  const shown = rows.map(rowId).filter((id) => chosen.has(id));
  return [shown.length === chosen.size ? chosen : new Set(shown), setChosen];
}

const NONE: ReadonlySet<string> = new Set();

/** The column with the boxes. With the shift key all rows from the last one to this are chosen, or left, in the order in which they are shown. */
export function useChoiceColumn<Row>(
  choice: RowChoice<Row> | undefined,
  rowId: (row: Row) => string,
  /** The rows as they are shown. */
  shown: RefObject<readonly Row[]>,
): readonly Column<Row>[] {
  const last = useRef<string | null>(null);
  if (!choice) return [];
  const { chosen, onChange, canChoose = () => true, labelOf } = choice;
  const choose = (row: Row, isRange: boolean) => {
    const id = rowId(row);
    const order = shown.current.filter(canChoose).map(rowId);
    const [from, to] = [order.indexOf(last.current ?? ''), order.indexOf(id)];
    const reach =
      isRange && from >= 0 && to >= 0
        ? order.slice(Math.min(from, to), Math.max(from, to) + 1)
        : [id];
    const next = new Set(chosen);
    const isOn = !chosen.has(id);
    for (const each of reach) {
      if (isOn) next.add(each);
      else next.delete(each);
    }
    last.current = id;
    onChange(next);
  };
  return [
    {
      id: 'choose',
      header: 'Choose',
      share: 0.35,
      cell: (row) =>
        canChoose(row) && (
          <input
            type="checkbox"
            aria-label={labelOf(row)}
            checked={chosen.has(rowId(row))}
            onChange={({ nativeEvent }) =>
              choose(row, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
        ),
    },
  ];
}
