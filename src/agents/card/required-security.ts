import { referredIn, isReferred } from '../../common/secret-references/referred-secret.js';
import { safeWords } from '../../common/safe-words.js';
import type { AgentCard } from '../../protocol/a2a.js';
import type { Agent } from '../agent.js';
import { Locked } from '../endpoint/sealed-json.js';

/** What of an agent decides whether it gets what its card asks for. */
type Called = Pick<Agent, 'card' | 'credentials' | 'authentication'>;
type Scheme = AgentCard['securitySchemes'][string]['scheme'];
type Oauth2 = Extract<Scheme, { $case: 'oauth2SecurityScheme' }>['value'];

/** One of the ways in which a card lets callers in (A2A §4.5): all of its schemes together. */
export interface RequiredSecurity {
  /** As the card names them. */
  readonly schemes: readonly string[];
  /** Whether the hub sends it all. */
  readonly isMet: boolean;
  /** What it does not send, each with what sets it; to follow "the card asks for". */
  readonly missing: readonly string[];
}

/** Characters of a name or an address of a card. */
const MAX_SHOWN = 200;

/**
 * The ways in, of which one is enough; none when the card asks for nothing. It only tells: what the hub sends, and where its
 * secrets go, is never taken from a card.
 */
export function requiredSecurity(agent: Called): readonly RequiredSecurity[] {
  return agent.card.securityRequirements.map(({ schemes }) => {
    const missing = Object.entries(schemes).flatMap(
      ([name, { list }]) => missingFor(agent, name, list) ?? [],
    );
    return { schemes: Object.keys(schemes).map(shown), isMet: missing.length === 0, missing };
  });
}

/** What the card asks for and does not get, in one clause; undefined when it gets it. */
export function lackingSecurity(agent: Called): string | undefined {
  const required = requiredSecurity(agent);
  if (required.length === 0 || required.some(({ isMet }) => isMet)) return undefined;
  return `the card asks for ${required.map(({ missing }) => missing.join(', and ')).join('; or for ')}`;
}

/** Whether a client certificate is shown; of what cannot be opened it is not known, and not missed. */
export function showsCertificate(authentication: Agent['authentication']): boolean {
  if (authentication === null || authentication instanceof Locked) return authentication !== null;
  return authentication.certificate !== undefined;
}

/** Whether it is a token that proves the hub; as {@link showsCertificate}. */
function givesToken(
  authentication: Agent['authentication'],
): authentication is NonNullable<Agent['authentication']> {
  return authentication !== null && (authentication as { type?: string }).type !== 'mtls';
}

/** What the hub sends to prove itself, by names alone. */
export function sentCredentials({ credentials, authentication }: Called): string {
  const headers = Object.keys(credentials).sort();
  const parts = headers.length === 0 ? [] : [`the headers ${headers.join(', ')}`];
  if (authentication !== null) {
    const type = authentication instanceof Locked ? 'locked' : authentication.type;
    if (type !== 'mtls') parts.push(`what authentication of the type ${type} gives`);
    if (type !== 'locked' && showsCertificate(authentication)) parts.push('a client certificate');
  }
  return parts.length === 0 ? 'no credentials' : parts.join(' and ');
}

function missingFor(agent: Called, name: string, scopes: readonly string[]): string | undefined {
  const { securitySchemes } = agent.card;
  const { scheme = undefined } = Object.hasOwn(securitySchemes, name)
    ? (securitySchemes[name] ?? {})
    : {};
  switch (scheme?.$case) {
    case undefined:
      return `${shown(name)}, a security scheme that it does not describe, or that the hub does not know`;
    case 'apiKeySecurityScheme':
      return apiKeyMissing(agent, scheme.value.location, scheme.value.name);
    case 'httpAuthSecurityScheme':
      return authorizationMissing(agent, scheme.value.scheme || 'Bearer');
    case 'oauth2SecurityScheme':
      return tokenMissing(agent, `an OAuth 2.0 access token${serverIn(scheme.value)}`, scopes);
    case 'openIdConnectSecurityScheme': {
      const { openIdConnectUrl: url } = scheme.value;
      const what = `an access token of an OpenID provider${url && ` (${shown(url)})`}`;
      return tokenMissing(agent, what, scopes);
    }
    case 'mtlsSecurityScheme':
      return showsCertificate(agent.authentication)
        ? undefined
        : 'a client certificate (mTLS): set authentication.certificate';
  }
}

function apiKeyMissing(
  { credentials, authentication }: Called,
  location: string,
  name: string,
): string | undefined {
  const key = `an API key in the ${shown(location || 'header')} ${shown(name)}`;
  if (location === 'query') return `${key}, which the hub sends in headers only`;
  const header = location === 'cookie' ? 'cookie' : name.toLowerCase();
  if (header in credentials || (header === 'authorization' && givesToken(authentication))) {
    return undefined;
  }
  return `${key}: set credentials.${shown(header)}`;
}

/** A value of the header `Authorization` of this scheme (RFC 9110 §11.6.2). */
function authorizationMissing(
  { credentials, authentication }: Called,
  scheme: string,
): string | undefined {
  const wanted = scheme.toLowerCase();
  if (givesToken(authentication) && wanted === 'bearer') return undefined;
  const what = `HTTP authentication of the scheme ${shown(scheme)}`;
  const { authorization } = credentials;
  if (authorization === undefined) {
    const orToken = wanted === 'bearer' ? ' or authentication' : '';
    return `${what}: set credentials.authorization${orToken}`;
  }
  const sent = schemeOf(authorization);
  if (sent === undefined || sent.toLowerCase() === wanted) return undefined;
  return `${what}, and the header authorization is of another scheme`;
}

function tokenMissing(agent: Called, what: string, scopes: readonly string[]): string | undefined {
  const withScopes = scopes.length === 0 ? what : `${what} with ${scopesIn(scopes)}`;
  const { authentication, credentials } = agent;
  if (!givesToken(authentication)) {
    const { authorization } = credentials;
    if (authorization === undefined) return `${withScopes}: set authentication`;
    // What is in it, nobody but the agent can say.
    return authorizationMissing(agent, 'Bearer') === undefined
      ? undefined
      : `${withScopes}, and the header authorization is of another scheme`;
  }
  if (authentication instanceof Locked) return undefined;
  const { scopes: requested } = authentication;
  // Without scopes the server gives those it has set for the client.
  const lacking = scopes.filter((scope) => requested?.includes(scope) === false);
  return lacking.length === 0
    ? undefined
    : `${what} with ${scopesIn(lacking)}: add to authentication.scopes`;
}

function serverIn({ flows, oauth2MetadataUrl }: Oauth2): string {
  const { flow } = flows ?? {};
  const url = flow !== undefined && 'tokenUrl' in flow.value ? flow.value.tokenUrl : '';
  const server = url || oauth2MetadataUrl;
  return server === '' ? '' : ` of ${shown(server)}`;
}

function scopesIn(scopes: readonly string[]): string {
  return `the scope${scopes.length === 1 ? '' : 's'} ${scopes.map(shown).join(', ')}`;
}

/** The scheme before a value of `Authorization`; undefined when it is not known. */
function schemeOf(stored: string): string | undefined {
  const value = isReferred(stored) ? referredIn(stored).prefix : stored;
  return /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) /.exec(value)?.[1];
}

/** A card's own words in a sentence. */
function shown(text: string): string {
  return safeWords(text, [], MAX_SHOWN);
}
