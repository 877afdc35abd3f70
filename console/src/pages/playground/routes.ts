import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../app/root';
import { isMode, type PlaygroundSearch } from './search';

const playgroundRoute = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  validateSearch: ({ agent, skill, tags, mode }): PlaygroundSearch => ({
    ...(isText(agent) && { agent }),
    ...(isText(skill) && { skill }),
    ...(isText(tags) && { tags }),
    ...(isMode(mode) && { mode }),
  }),
  component: lazyRouteComponent(() => import('./playground-page'), 'PlaygroundPage'),
});

export const playgroundRoutes = [playgroundRoute] as const;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
