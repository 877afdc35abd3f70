import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../app/root';

const accessRoute = createRoute({
  getParentRoute: () => root,
  path: '/access',
  component: lazyRouteComponent(() => import('./access-page'), 'AccessPage'),
});

export const accessRoutes = [accessRoute] as const;
