import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../app/root';
import { only } from '../../ui/search';
import { agentSearchOf, agentsSearchOf } from './search';

const agentsRoute = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  validateSearch: only(agentsSearchOf),
  component: lazyRouteComponent(() => import('./agents-page'), 'AgentsPage'),
});

const newAgentRoute = createRoute({
  getParentRoute: () => root,
  path: '/agents/new',
  validateSearch: only(() => ({})),
  component: lazyRouteComponent(() => import('./register-page'), 'RegisterPage'),
});

const agentRoute = createRoute({
  getParentRoute: () => root,
  path: '/agents/$agentId',
  validateSearch: only(agentSearchOf),
  component: lazyRouteComponent(() => import('./agent-page'), 'AgentPage'),
});

export const agentRoutes = [agentsRoute, newAgentRoute, agentRoute] as const;
