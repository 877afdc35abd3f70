import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../../api/me';
import { Page } from '../../ui/page';
import './routing.css';

/** What the parts of the page have in common: the title and the way from one to another. */
export function RoutingFrame({
  title = 'Routing',
  lead,
  actions,
  children,
}: {
  readonly title?: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const manages = useMay('routing');
  const tries = useMay('a2a');
  return (
    <Page title={title} lead={lead} actions={actions}>
      <nav className="tabs" aria-label="Routing">
        {manages && <Part to="/routing/rules">Rules</Part>}
        {manages && <Part to="/routing/composite-skills">Composite skills</Part>}
        {tries && <Part to="/routing/dry-run">Dry run</Part>}
      </nav>
      {children}
    </Page>
  );
}

function Part({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link
      to={to}
      className="tab routing-part"
      activeProps={{ 'data-state': 'active' }}
      activeOptions={{ exact: false, includeSearch: false }}
    >
      {children}
    </Link>
  );
}
