import { storable } from '../../database/text.js';
import type { RequestedWebhook } from '../registration/webhook-registration.js';
import { NO_FILTER, type SubscriptionFilter } from '../registration/domain/subscription-filter.js';
import { STATES_BY_NAME } from '../delivery/domain/state-names.js';
import type { SubscriptionFilterDto, WrittenSubscriptionDto } from './subscription.dto.js';
import { newSecretsOf } from './webhook-secrets.dto.js';

/** The webhook that is asked for. */
export function requestedOf(requested: WrittenSubscriptionDto): RequestedWebhook {
  return {
    url: requested.url,
    version: requested.version ?? '1.0',
    ...newSecretsOf(requested),
  };
}

export function filterOf(requested: SubscriptionFilterDto | null | undefined): SubscriptionFilter {
  if (!requested) return NO_FILTER;
  return {
    agents: requested.agents ? [...new Set(requested.agents)] : null,
    tags: requested.tags ? [...new Set(requested.tags)] : null,
    states: requested.states
      ? [...new Set(requested.states)].flatMap((name) => STATES_BY_NAME.get(name) ?? [])
      : null,
  };
}

/** As the database can hold it; null for none. */
export function textOf(text: string | null | undefined): string | null {
  return text ? storable(text) : null;
}
