import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../app/root';
import { only, textsOf } from '../../ui/search';
import { isMode, type PlaygroundSearch } from './search';

const playgroundRoute = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  validateSearch: only((search): PlaygroundSearch => ({
    ...textsOf(search, ['agent', 'skill', 'tags']),
    ...(isMode(search['mode']) && { mode: search['mode'] }),
  })),
  component: lazyRouteComponent(() => import('./playground-page'), 'PlaygroundPage'),
});

export const playgroundRoutes = [playgroundRoute] as const;
