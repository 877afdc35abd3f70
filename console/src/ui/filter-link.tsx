import type { ReactNode } from 'react';

/** A value of a list: a click leaves only rows that have it. */
export function FilterLink({
  what,
  value,
  onFilter,
  children,
}: {
  /** What it is: `agent`. */
  readonly what: string;
  readonly value: string;
  readonly onFilter: () => void;
  readonly children: ReactNode;
}) {
  const title = `Only ${what} ${value}`;
  return (
    <button
      type="button"
      className="filter-link"
      title={title}
      aria-label={title}
      onClick={onFilter}
    >
      {children}
    </button>
  );
}
