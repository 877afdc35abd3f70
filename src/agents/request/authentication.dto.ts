import { Choice, Flag, Secret, Text } from '../../common/http/fields.js';
import {
  SECRET_AUTHENTICATIONS,
  type SecretAuthentication,
} from '../../common/oauth/request-token.js';
import { ID } from '../../common/http/text-forms.js';
import {
  AUTHENTICATION_TYPES,
  type AuthenticationType,
  EXCHANGE_SUBJECTS,
  type ExchangeSubject,
} from '../agent-authentication.js';
import type { WrittenSecret } from '../endpoint/read-secret.js';
import { MAX_URL } from './agent-fields.js';

const OPTIONAL = { optional: true, nullable: true } as const;
const MAX_TEXT = 1000;
/** Characters: a certificate and those that lead to its authority. */
const MAX_PEM = 65_536;

/** How the hub gets what proves it to an agent; which members a type has, its file in client/authentication/ says. */
export class AuthenticationDto {
  @Choice(AUTHENTICATION_TYPES)
  type!: AuthenticationType;

  @Text({
    ...OPTIONAL,
    max: MAX_URL,
    description: 'The token endpoint; this or `issuer`.',
    example: 'https://login.example.com/oauth2/token',
  })
  tokenUrl?: string | null;

  @Text({
    ...OPTIONAL,
    max: MAX_URL,
    description: 'Its metadata name the token endpoint (OpenID Connect Discovery, RFC 8414).',
    example: 'https://login.example.com',
  })
  issuer?: string | null;

  @Text({
    ...OPTIONAL,
    max: MAX_URL,
    description:
      'The authorization endpoint, where users consent; beside `tokenUrl`. `issuer` names both.',
    example: 'https://login.example.com/oauth2/authorize',
  })
  authorizationUrl?: string | null;

  @Text({ ...OPTIONAL, max: MAX_TEXT, example: 'a2a-hub' })
  clientId?: string | null;

  @Secret({ ...OPTIONAL, max: 4096, description: 'Never shown.' })
  clientSecret?: WrittenSecret | null;

  @Choice(SECRET_AUTHENTICATIONS, {
    ...OPTIONAL,
    description: 'How the client secret is sent; default client_secret_basic.',
  })
  clientAuthentication?: SecretAuthentication | null;

  @Text({ ...OPTIONAL, list: { max: 100 }, max: MAX_TEXT })
  scopes?: string[] | null;

  @Text({ ...OPTIONAL, max: MAX_TEXT })
  audience?: string | null;

  @Text({ ...OPTIONAL, max: MAX_URL, description: 'RFC 8707.' })
  resource?: string | null;

  @Text({
    ...OPTIONAL,
    max: MAX_TEXT,
    description: 'RFC 8693 §2.1.',
    example: 'urn:ietf:params:oauth:token-type:access_token',
  })
  requestedTokenType?: string | null;

  @Choice(EXCHANGE_SUBJECTS, {
    ...OPTIONAL,
    description:
      'What is exchanged: the access token that the caller came with (default), or a JWT that the hub signs for the token server.',
  })
  subject?: ExchangeSubject | null;

  @Flag({
    ...OPTIONAL,
    description: 'The hub names itself as the actor, by an access token of its own.',
  })
  actor?: boolean | null;

  @Text({
    ...OPTIONAL,
    like: ID,
    list: { min: 1, max: 20, unique: true },
    description: 'Ids of `auth.issuers`: only their tokens leave the hub.',
    example: ['acme'],
  })
  issuers?: string[] | null;

  @Secret({
    ...OPTIONAL,
    max: MAX_PEM,
    description:
      'The client certificate of TLS (PEM, then what leads to its authority), shown beside what the type gives, and where the card is read.',
  })
  certificate?: WrittenSecret | null;

  @Secret({ ...OPTIONAL, max: MAX_PEM, description: 'Its private key (PEM). Never shown.' })
  privateKey?: WrittenSecret | null;

  @Secret({
    ...OPTIONAL,
    max: MAX_PEM,
    description:
      "The authorities (PEM) that the agent's own certificate has to be from; no others count then.",
  })
  ca?: WrittenSecret | null;
}
