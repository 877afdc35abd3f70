import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../app/root';
import { only } from '../../ui/search';
import { overviewSearchOf } from './search';

const overviewRoute = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: only(overviewSearchOf),
  component: lazyRouteComponent(() => import('./overview-page'), 'OverviewPage'),
});

export const overviewRoutes = [overviewRoute] as const;
