import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../app/root';

const playgroundRoute = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  component: lazyRouteComponent(() => import('./playground-page'), 'PlaygroundPage'),
});

export const playgroundRoutes = [playgroundRoute] as const;
