import type { ReactNode } from 'react';

/** Above a list: its filters, and at the end what can be made new. */
export function Toolbar({
  action,
  children,
}: {
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <div className="toolbar">
      <div className="filters">{children}</div>
      {action}
    </div>
  );
}
