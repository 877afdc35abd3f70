import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../app/root';
import { only } from '../../ui/search';
import { webhookSearchOf } from './search';

const webhookRoute = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  validateSearch: only(webhookSearchOf),
  component: lazyRouteComponent(() => import('./webhooks-page'), 'WebhooksPage'),
});

export const webhookRoutes = [webhookRoute] as const;
