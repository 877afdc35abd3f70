import { storable } from '../../database/text.js';
import type { GivenSecrets, RequestedWebhook } from '../configs/webhook-registration.js';
import { NO_FILTER, type SubscriptionFilter } from './domain/subscription-filter.js';
import { STATES_BY_NAME } from './domain/told-states.js';
import type {
  RotateSubscriptionDto,
  SubscriptionAuthenticationDto,
  SubscriptionFilterDto,
  WrittenSubscriptionDto,
} from './subscription.dto.js';

/** The webhook that is asked for. */
export function requestedOf(asked: WrittenSubscriptionDto): RequestedWebhook {
  return {
    url: asked.url,
    version: asked.version ?? '1.0',
    token: asked.token,
    authentication: authenticationOf(asked.authentication),
    signingKeys: asked.signingKeys ?? [],
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

/** The secrets that are given; what is null is taken away. */
export function secretsOf({
  authentication,
  token,
  signingKeys,
}: RotateSubscriptionDto): GivenSecrets {
  const isGiven = authentication !== undefined;
  const given = isGiven ? { authentication: authenticationOf(authentication) ?? null } : {};
  return { ...given, token, signingKeys };
}

function authenticationOf(
  asked: SubscriptionAuthenticationDto | null | undefined,
): RequestedWebhook['authentication'] {
  return asked ? { scheme: asked.scheme, credentials: asked.credentials ?? '' } : undefined;
}
