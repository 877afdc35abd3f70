import type { Schema } from '../../../api/client';

/** Which tasks a subscription gets, in words. */
export function filterText({ filter, scope, organization }: Schema<'SubscriptionDto'>): string {
  const whose = scope === 'own' ? 'own tasks' : `all tasks of ${organization}`;
  const parts = [
    filter?.agents && `of ${filter.agents.join(', ')}`,
    filter?.tags && `tagged ${filter.tags.join(', ')}`,
    filter?.states && `becoming ${filter.states.join(', ')}`,
  ].filter(Boolean);
  return [whose, ...parts].join(' ');
}
