import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMayOpen } from '../api/page-scopes';

export interface PageAddress {
  /** A path of the console: `/agents/translator`. */
  readonly to: string;
  readonly search?: Readonly<Record<string, string | readonly string[]>>;
}

/**
 * A link to another page, which this one knows nothing of but its address. Who may not open that page sees the text alone,
 * and no button.
 */
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
  readonly title?: string;
}) {
  if (!useMayOpen(to, search)) {
    const isButton = className?.split(' ').includes('button');
    return isButton ? null : (
      <span className={className} title={others.title}>
        {children}
      </span>
    );
  }
  return (
    <Link to={to} search={search as never} className={className} {...others}>
      {children}
    </Link>
  );
}
