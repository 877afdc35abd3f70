import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../app/root';

const webhookRoute = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./webhooks-page'), 'WebhooksPage'),
});

export const webhookRoutes = [webhookRoute] as const;
