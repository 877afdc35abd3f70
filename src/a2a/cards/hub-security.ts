import type { Issuer } from '../../auth/index.js';
import type { AgentCard } from '../../protocol/a2a.js';

type Security = Pick<AgentCard, 'securitySchemes' | 'securityRequirements'>;
type SecurityScheme = NonNullable<AgentCard['securitySchemes'][string]>;
type IssuerFacts = Pick<Issuer, 'id' | 'issuer' | 'metadataUrl' | 'jwksUrl' | 'oauth2' | 'grants'>;

const KEY = 'An API key of the hub.';

/**
 * How callers prove who they are, as cards say it: any one of the schemes is enough. With `auth.mode: none` there is
 * nothing to say.
 */
export function hubSecurity(mode: 'keys' | 'none', issuers: readonly IssuerFacts[]): Security {
  if (mode === 'none') return { securitySchemes: {}, securityRequirements: [] };
  const securitySchemes: Record<string, SecurityScheme> = {
    bearer: bearer(issuers.length === 0 ? KEY : 'An API key of the hub, or an access token.'),
    apiKey: {
      scheme: {
        $case: 'apiKeySecurityScheme',
        value: { location: 'header', name: 'X-API-Key', description: KEY },
      },
    },
  };
  const securityRequirements: Security['securityRequirements'] = [
    { schemes: { bearer: { list: [] } } },
    { schemes: { apiKey: { list: [] } } },
  ];
  for (const issuer of issuers) {
    const list = scopesFor(issuer);
    for (const [name, scheme] of Object.entries(schemesOf(issuer))) {
      securitySchemes[name] = scheme;
      securityRequirements.push({ schemes: { [name]: { list } } });
    }
  }
  return { securitySchemes, securityRequirements };
}

/** The schemes of one issuer, under names that begin with its id. */
function schemesOf(facts: IssuerFacts): Record<string, SecurityScheme> {
  const { id, issuer, metadataUrl, jwksUrl, oauth2 } = facts;
  const description = `An access token of ${issuer}.`;
  const schemes: Record<string, SecurityScheme> = {};
  // With a key set of its own it may publish no metadata at all.
  if (metadataUrl !== null || jwksUrl === null) {
    const openIdConnectUrl =
      metadataUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const value = { description, openIdConnectUrl };
    schemes[`${id}-oidc`] = { scheme: { $case: 'openIdConnectSecurityScheme', value } };
  }
  if (oauth2 !== null) Object.assign(schemes, oauth2Scheme(facts, oauth2, description));
  return schemes;
}

function oauth2Scheme(
  { id }: IssuerFacts,
  { tokenUrl, authorizationUrl, scopes }: NonNullable<Issuer['oauth2']>,
  description: string,
): Record<string, SecurityScheme> {
  const common = { tokenUrl, refreshUrl: '', scopes: { ...scopes } };
  const flow =
    authorizationUrl === null
      ? { $case: 'clientCredentials' as const, value: common }
      : {
          $case: 'authorizationCode' as const,
          value: { ...common, authorizationUrl, pkceRequired: true },
        };
  const value = { description, flows: { flow }, oauth2MetadataUrl: '' };
  return { [`${id}-oauth2`]: { scheme: { $case: 'oauth2SecurityScheme', value } } };
}

/** The scopes that a token needs to call A2A: none when every caller may. */
function scopesFor({ grants }: IssuerFacts): string[] {
  if (grants.everyone.some((scope) => scope === 'a2a' || scope === 'admin')) return [];
  const [first] = [...grants.scopes].find(([, scopes]) => scopes.includes('a2a')) ?? [];
  return first === undefined ? [] : [first];
}

function bearer(description: string): SecurityScheme {
  return {
    scheme: {
      $case: 'httpAuthSecurityScheme',
      value: { scheme: 'Bearer', bearerFormat: '', description },
    },
  };
}
