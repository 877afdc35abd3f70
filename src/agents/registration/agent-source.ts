import type { Agent, AgentEndpoint } from '../agent.js';
import { invalidField } from '../../common/hub-error.js';
import { showsCertificate } from '../card/required-security.js';
import type { Grantee } from '../../common/secret-references/referred-secret.js';
import { readHeaders } from '../endpoint/agent-headers.js';
import { withoutReferences } from '../endpoint/sealed-headers.js';
import { bindingOf } from '../binding/bindings.js';
import type { CheckedCard } from './registration-check.js';
import { adjustedBy } from '../card/card-trouble.js';
import { readCardKeys } from '../card/card-keys.js';
import {
  readAuthentication,
  refuseTwice,
  type WrittenAuthentication,
} from './read-authentication.js';
import { originsGiven } from '../endpoint/choose-endpoint.js';

/** What the hub reads the card with, and calls the agent with. */
export type AgentMeans = Pick<Agent, 'cardHeaders' | 'cardKeys' | 'credentials' | 'authentication'>;

/** {@link AgentMeans} as an operator writes them. */
export interface WrittenMeans {
  readonly cardHeaders?: Readonly<Record<string, unknown>> | undefined;
  /** A JWK Set or `{jwksUrl}`: who has to have signed the card. */
  readonly cardKeys?: Readonly<Record<string, unknown>> | null | undefined;
  readonly credentials?: Readonly<Record<string, unknown>> | undefined;
  readonly authentication?: WrittenAuthentication | null | undefined;
}

/** Throws HubError INVALID_PARAMS naming the field; that of the credentials is called `field`. */
export function readMeans(written: WrittenMeans, field: string, grantee: Grantee): AgentMeans {
  const means = {
    cardHeaders: readHeaders('cardHeaders', written.cardHeaders ?? {}, grantee),
    credentials: readHeaders(field, written.credentials ?? {}, grantee),
    cardKeys: readCardKeys('cardKeys', written.cardKeys),
    authentication: readAuthentication(written.authentication, grantee),
  };
  refuseTwice(field, means);
  return means;
}

/**
 * The part of an agent that comes of its card; its credentials are given `now`. `before` is the trouble of
 * the card that this one replaces.
 */
export function agentOf(
  checked: CheckedCard,
  source: AgentMeans & Pick<Agent, 'endpointOverride' | 'pin'>,
  now: Date,
  before: Agent['cardTrouble'],
) {
  const { card, originalCard, cardUrl, signature, endpoint, refused } = checked;
  const { cardHeaders, cardKeys, credentials, authentication, endpointOverride, pin } = source;
  return {
    card,
    originalCard,
    cardUrl,
    cardTrouble: adjustedBy(originalCard, now, before),
    cardHeaders,
    cardKeys,
    signature,
    endpoint,
    endpointOverride,
    pin,
    refused,
    credentials,
    authentication,
    credentialOrigins: originsGiven({
      card,
      refused,
      endpointOverride,
      pin,
      credentials,
      authentication,
    }),
  };
}

/**
 * Not every binding carries every header, nor every address a certificate: better refused now than at every call. Throws
 * HubError INVALID_PARAMS naming the header below `field`, or the certificate.
 */
export function checkCarried(
  field: string,
  endpoint: AgentEndpoint,
  { credentials, authentication }: Pick<Agent, 'credentials' | 'authentication'>,
): void {
  const binding = bindingOf(endpoint.protocolBinding);
  binding.checkHeaders(field, withoutReferences(credentials));
  const isPlain = !binding.urls(endpoint.url).some((url) => /^https:/i.test(url));
  if (isPlain && authentication !== null && showsCertificate(authentication))
    throw invalidField('authentication.certificate', `needs TLS, and ${endpoint.url} has none`);
}
