import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AccessSearch } from '../search';

/** Another list of this page, with these filters. */
export function SearchLink({
  search,
  children,
}: {
  readonly search: AccessSearch;
  readonly children: ReactNode;
}) {
  return (
    <Link to="/access" search={search}>
      {children}
    </Link>
  );
}
