import { Choice, Flag, Json, Nested, Text, Url } from '../../common/http/fields.js';
import { ID, ORGANIZATION_ID } from '../../common/http/text-forms.js';
import { MAX_REFERENCE } from '../../common/secret-references/secret-reference.js';
import { SCOPES, type Scope } from '../../common/scope.js';
import { ISSUER_ALGORITHMS } from './issuer.js';

const HTTP = ['http', 'https'] as const;
const CLAIM = { max: 200, min: 1 } as const;
const MAX_URL = 2048;

export class ClaimNamesDto {
  @Text({ optional: true, ...CLAIM })
  subject?: string;

  @Text({ optional: true, ...CLAIM })
  organization?: string;

  @Text({ optional: true, ...CLAIM })
  groups?: string;

  @Text({ optional: true, ...CLAIM })
  scopes?: string;
}

export class GrantsDto {
  @Choice(SCOPES, { optional: true, list: { unique: true } })
  everyone?: Scope[];

  /** Scopes of the hub by a scope of the token. */
  @Json({ optional: true })
  scopes?: Record<string, unknown>;

  /** Scopes of the hub by a group of the token. */
  @Json({ optional: true })
  groups?: Record<string, unknown>;
}

export class IntrospectionDto {
  @Text({ min: 1, max: 500 })
  clientId!: string;

  /** This, or `clientSecretRef`. */
  @Text({ optional: true, min: 1, max: 4096 })
  clientSecret?: string;

  /** Where it is kept; it is read again when it changes there. */
  @Text({ optional: true, max: MAX_REFERENCE })
  clientSecretRef?: string;

  @Choice(['client_secret_basic', 'client_secret_post'], { optional: true })
  clientAuthentication?: 'client_secret_basic' | 'client_secret_post';

  @Url({ optional: true, schemes: HTTP, max: MAX_URL, example: 'https://login.example/introspect' })
  url?: string;

  @Choice(['opaque', 'all'], { optional: true })
  tokens?: 'opaque' | 'all';

  @Text({ optional: true, max: 20 })
  cache?: string;

  @Flag({ optional: true })
  requireAudience?: boolean;
}

export class Oauth2FlowsDto {
  @Url({ schemes: HTTP, max: MAX_URL, example: 'https://login.example/token' })
  tokenUrl!: string;

  @Url({ optional: true, schemes: HTTP, max: MAX_URL, example: 'https://login.example/authorize' })
  authorizationUrl?: string;

  /** What each scope is for, by its name. */
  @Json({ optional: true })
  scopes?: Record<string, unknown>;
}

/** An entry of `auth.issuers`. */
export class IssuerDto {
  @Text({ like: ID })
  id!: string;

  @Url({ schemes: HTTP, max: MAX_URL, example: 'https://login.example/realms/acme' })
  issuer!: string;

  @Text({ optional: true, min: 1, max: 500, list: { min: 1, max: 20, unique: true } })
  audiences?: string[];

  @Choice(ISSUER_ALGORITHMS, { optional: true, list: { min: 1, unique: true } })
  algorithms?: string[];

  @Url({
    optional: true,
    schemes: HTTP,
    max: MAX_URL,
    example: 'https://login.example/.well-known/openid-configuration',
  })
  metadataUrl?: string;

  @Url({ optional: true, schemes: HTTP, max: MAX_URL, example: 'https://login.example/jwks' })
  jwksUrl?: string;

  @Text({ optional: true, max: 20 })
  clockSkew?: string;

  @Text({ optional: true, like: ORGANIZATION_ID })
  organization?: string;

  @Text({ optional: true, like: ORGANIZATION_ID, list: { min: 1, max: 1000, unique: true } })
  organizations?: string[];

  @Nested(() => ClaimNamesDto, { optional: true })
  claims?: ClaimNamesDto;

  @Nested(() => GrantsDto, { optional: true })
  grants?: GrantsDto;

  @Nested(() => IntrospectionDto, { optional: true })
  introspection?: IntrospectionDto;

  @Nested(() => Oauth2FlowsDto, { optional: true })
  oauth2?: Oauth2FlowsDto;
}
