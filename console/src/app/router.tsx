import { createRouter } from '@tanstack/react-router';
import { CONSOLE_URL } from '../api/place';
import { accessRoutes } from '../pages/access/routes';
import { agentRoutes } from '../pages/agents/routes';
import { overviewRoutes } from '../pages/overview/routes';
import { playgroundRoutes } from '../pages/playground/routes';
import { routingRoutes } from '../pages/routing/routes';
import { taskRoutes } from '../pages/tasks/routes';
import { webhookRoutes } from '../pages/webhooks/routes';
import { Loading } from '../ui/feedback';
import { PageFailed } from './page-failed';
import { root } from './root';

export const router = createRouter({
  routeTree: root.addChildren([
    ...overviewRoutes,
    ...taskRoutes,
    ...agentRoutes,
    ...routingRoutes,
    ...webhookRoutes,
    ...accessRoutes,
    ...playgroundRoutes,
  ]),
  basepath: CONSOLE_URL.pathname.replace(/\/$/, ''),
  defaultPendingComponent: () => <Loading />,
  // Within the shell: whoever has pasted a key keeps it, and the other pages are still there.
  defaultErrorComponent: PageFailed,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
