import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export interface PageAddress {
  /** A path of the console: `/agents/translator`. */
  readonly to: string;
  readonly search?: Readonly<Record<string, string | readonly string[]>>;
}

/** A link to another page, which this one knows nothing of but its address. */
export function PageLink({
  to,
  search = {},
  className,
  children,
  ...others
}: PageAddress & {
  readonly className?: string;
  readonly children: ReactNode;
  readonly 'aria-label'?: string;
}) {
  return (
    <Link to={to} search={search as never} className={className} {...others}>
      {children}
    </Link>
  );
}
