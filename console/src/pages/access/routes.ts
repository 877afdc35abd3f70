import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../app/root';
import { only } from '../../ui/search';
import { accessSearchOf } from './search';

const accessRoute = createRoute({
  getParentRoute: () => root,
  path: '/access',
  validateSearch: only(accessSearchOf),
  component: lazyRouteComponent(() => import('./access-page'), 'AccessPage'),
});

export const accessRoutes = [accessRoute] as const;
