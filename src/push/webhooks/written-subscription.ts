import { storable } from '../../database/text.js';
import type { RequestedWebhook } from '../registration/webhook-registration.js';
import { NO_FILTER, type SubscriptionFilter } from '../registration/domain/subscription-filter.js';
import { STATES_BY_NAME } from '../delivery/domain/state-filter.js';
import type { SubscriptionFilterDto, WrittenSubscriptionDto } from './subscription.dto.js';
import { newSecretsOf } from './webhook-secrets.dto.js';

/** The webhook that is asked for. */
export function requestedOf(asked: WrittenSubscriptionDto): RequestedWebhook {
  return {
    url: asked.url,
    version: asked.version ?? '1.0',
    ...newSecretsOf(asked),
  };
}

export function filterOf(asked: SubscriptionFilterDto | null | undefined): SubscriptionFilter {
  if (!asked) return NO_FILTER;
  return {
    agents: asked.agents ? [...new Set(asked.agents)] : null,
    tags: asked.tags ? [...new Set(asked.tags)] : null,
    states: asked.states
      ? [...new Set(asked.states)].flatMap((name) => STATES_BY_NAME.get(name) ?? [])
      : null,
  };
}

/** As the database can hold it; null for none. */
export function textOf(text: string | null | undefined): string | null {
  return text ? storable(text) : null;
}
