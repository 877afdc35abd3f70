/** A header as one types it: its value, or where the hub reads that. */
export interface HeaderRow {
  readonly name: string;
  readonly kind: 'value' | 'reference';
  readonly value: string;
  /** Before a secret that is read elsewhere, such as `Bearer `. */
  readonly prefix: string;
}

export type HeaderValues = Record<
  string,
  string | { readonly secretRef: string; readonly prefix?: string }
>;

export const EMPTY_ROW: HeaderRow = { name: '', kind: 'value', value: '', prefix: '' };

/** Without rows that are empty. */
export function headersOf(rows: readonly HeaderRow[]): HeaderValues {
  return Object.fromEntries(
    rows
      .filter(({ name, value }) => name.trim() !== '' || value !== '')
      .map(({ name, kind, value, prefix }) => [
        name.trim(),
        kind === 'value' ? value : { secretRef: value.trim(), ...(prefix !== '' && { prefix }) },
      ]),
  );
}
