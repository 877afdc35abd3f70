import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../app/root';

const routingRoute = createRoute({
  getParentRoute: () => root,
  path: '/routing',
  component: lazyRouteComponent(() => import('./routing-page'), 'RoutingPage'),
});

export const routingRoutes = [routingRoute] as const;
