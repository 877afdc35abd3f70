import type { Schema } from '../../../api/client';

/** Which tasks a subscription gets, in words. */
export function filterText({ filter, scope }: Schema<'SubscriptionDto'>): string {
  const whose = scope === 'own' ? 'own tasks' : 'all tasks';
  const parts = [
    filter?.agents && `of ${filter.agents.join(', ')}`,
    filter?.tags && `tagged ${filter.tags.join(', ')}`,
    filter?.states && `becoming ${filter.states.join(', ')}`,
  ].filter(Boolean);
  return [whose, ...parts].join(' ');
}
