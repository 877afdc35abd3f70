import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../app/root';
import { only, textsOf } from '../../ui/search';
import type { DryRunSearch, EditorSearch, VersionedSearch } from './search';

const begin = createRoute({
  getParentRoute: () => root,
  path: '/routing',
  validateSearch: only(() => ({})),
  component: lazyRouteComponent(() => import('./routing-begin'), 'RoutingBegin'),
});

const rules = createRoute({
  getParentRoute: () => root,
  path: '/routing/rules',
  validateSearch: only((search): { q?: string } => textsOf(search, ['q'])),
  component: lazyRouteComponent(() => import('./rules/rules-page'), 'RulesPage'),
});

const newRule = createRoute({
  getParentRoute: () => root,
  path: '/routing/rules/new',
  validateSearch: only(editorSearch),
  component: lazyRouteComponent(() => import('./rules/new-rule-page'), 'NewRulePage'),
});

const rule = createRoute({
  getParentRoute: () => root,
  path: '/routing/rules/$ruleId',
  validateSearch: only(versionedSearch),
  component: lazyRouteComponent(() => import('./rules/rule-page'), 'RulePage'),
});

const composites = createRoute({
  getParentRoute: () => root,
  path: '/routing/composite-skills',
  validateSearch: only(() => ({})),
  component: lazyRouteComponent(() => import('./composites/composites-page'), 'CompositesPage'),
});

const newComposite = createRoute({
  getParentRoute: () => root,
  path: '/routing/composite-skills/new',
  validateSearch: only(editorSearch),
  component: lazyRouteComponent(
    () => import('./composites/new-composite-page'),
    'NewCompositePage',
  ),
});

const composite = createRoute({
  getParentRoute: () => root,
  path: '/routing/composite-skills/$compositeId',
  validateSearch: only(versionedSearch),
  component: lazyRouteComponent(() => import('./composites/composite-page'), 'CompositePage'),
});

const dryRun = createRoute({
  getParentRoute: () => root,
  path: '/routing/dry-run',
  validateSearch: only((search): DryRunSearch =>
    textsOf(search, ['agent', 'skill', 'tags', 'organization']),
  ),
  component: lazyRouteComponent(() => import('./dry-run/dry-run-page'), 'DryRunPage'),
});

export const routingRoutes = [
  begin,
  rules,
  newRule,
  rule,
  composites,
  newComposite,
  composite,
  dryRun,
] as const;

function editorSearch({ view }: Record<string, unknown>): EditorSearch {
  return view === 'json' ? { view } : {};
}

function versionedSearch(search: Record<string, unknown>): VersionedSearch {
  const { version, from, to } = search;
  return {
    ...editorSearch(search),
    ...textsOf(search, ['tab']),
    ...(isVersion(version) && { version }),
    ...(isVersion(from) && { from }),
    ...(isVersion(to) && { to }),
  };
}

function isVersion(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}
