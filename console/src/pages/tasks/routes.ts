import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../app/root';

const taskRoute = createRoute({
  getParentRoute: () => root,
  path: '/tasks',
  component: lazyRouteComponent(() => import('./tasks-page'), 'TasksPage'),
});

export const taskRoutes = [taskRoute] as const;
