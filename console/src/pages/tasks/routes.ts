import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../app/root';
import { only } from '../../ui/search';
import { taskSearchOf } from './list/task-search';

const tasks = createRoute({
  getParentRoute: () => root,
  path: '/tasks',
  validateSearch: only(taskSearchOf),
  component: lazyRouteComponent(() => import('./list/tasks-page'), 'TasksPage'),
});

const task = createRoute({
  getParentRoute: () => root,
  path: '/tasks/$taskId',
  validateSearch: only(({ tab }): { readonly tab?: string } =>
    typeof tab === 'string' ? { tab } : {},
  ),
  component: lazyRouteComponent(() => import('./detail/task-page'), 'TaskPage'),
});

const conversation = createRoute({
  getParentRoute: () => root,
  path: '/tasks/contexts/$contextId',
  validateSearch: only(() => ({})),
  component: lazyRouteComponent(
    () => import('./conversation/conversation-page'),
    'ConversationPage',
  ),
});

export const taskRoutes = [tasks, task, conversation] as const;
