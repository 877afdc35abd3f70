import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../app/root';

const agentRoute = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  component: lazyRouteComponent(() => import('./agents-page'), 'AgentsPage'),
});

export const agentRoutes = [agentRoute] as const;
