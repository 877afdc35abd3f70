import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { WebhookSearch } from '../search';

/** Another list of this page, with these filters. */
export function SearchLink({
  search,
  children,
}: {
  readonly search: WebhookSearch;
  readonly children: ReactNode;
}) {
  return (
    <Link to="/webhooks" search={search}>
      {children}
    </Link>
  );
}
