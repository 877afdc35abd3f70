import type { Schema } from '../../../api/client';
import { betweenCommas } from '../../../ui/lists';

type Authentication = Schema<'AuthenticationDto'>;
export type AuthenticationType = Authentication['type'];

/** Members of an authentication as texts of inputs. */
export type AuthenticationTexts = Readonly<Record<string, string>>;

export interface AuthenticationField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly kind: 'text' | 'words' | 'secret' | 'pem' | 'flag' | readonly string[];
}

const ISSUER: AuthenticationField = {
  name: 'issuer',
  label: 'Issuer',
  hint: 'Its metadata name the endpoints, such as https://login.example.com.',
  kind: 'text',
};
const TOKEN_URL: AuthenticationField = {
  name: 'tokenUrl',
  label: 'Token endpoint',
  hint: 'In place of the issuer.',
  kind: 'text',
};
const CLIENT: readonly AuthenticationField[] = [
  { name: 'clientId', label: 'Client id', kind: 'text' },
  {
    name: 'clientSecret',
    label: 'Client secret',
    hint: 'Never shown again. Or a reference: env:NAME, file:/PATH, vault:PATH#FIELD, aws:NAME.',
    kind: 'secret',
  },
  {
    name: 'clientAuthentication',
    label: 'How the secret is sent',
    kind: ['client_secret_basic', 'client_secret_post'],
  },
];
const WANTED: readonly AuthenticationField[] = [
  { name: 'scopes', label: 'Scopes', hint: 'With commas between them.', kind: 'words' },
  { name: 'audience', label: 'Audience', kind: 'text' },
  { name: 'resource', label: 'Resource', hint: 'RFC 8707.', kind: 'text' },
];
const ISSUERS: AuthenticationField = {
  name: 'issuers',
  label: 'Whose tokens',
  hint: 'Ids of auth.issuers, with commas between them: only their tokens leave the hub.',
  kind: 'words',
};

export const AUTHENTICATIONS: Readonly<
  Record<
    AuthenticationType,
    { readonly label: string; readonly fields: readonly AuthenticationField[] }
  >
> = {
  'oauth2-client-credentials': {
    label: 'Access token of the hub (client credentials)',
    fields: [ISSUER, TOKEN_URL, ...CLIENT, ...WANTED],
  },
  'token-exchange': {
    label: 'The caller’s token, exchanged (RFC 8693)',
    fields: [
      ISSUER,
      TOKEN_URL,
      ...CLIENT,
      ...WANTED,
      ISSUERS,
      { name: 'subject', label: 'What is exchanged', kind: ['caller', 'hub'] },
      { name: 'actor', label: 'The hub names itself as the actor', kind: 'flag' },
      { name: 'requestedTokenType', label: 'Type of the token wanted', kind: 'text' },
    ],
  },
  'oauth2-authorization-code': {
    label: 'Each user consents (authorization code)',
    fields: [
      ISSUER,
      {
        name: 'authorizationUrl',
        label: 'Authorization endpoint',
        hint: 'In place of the issuer, beside the token endpoint.',
        kind: 'text',
      },
      TOKEN_URL,
      ...CLIENT,
      ...WANTED,
    ],
  },
  'caller-token': { label: 'The caller’s token, passed on', fields: [ISSUERS] },
  mtls: {
    label: 'Client certificate (mutual TLS)',
    fields: [
      {
        name: 'certificate',
        label: 'Certificate',
        hint: 'PEM, then what leads to its authority; or a reference such as file:/run/secrets/tls.crt.',
        kind: 'pem',
      },
      {
        name: 'privateKey',
        label: 'Private key',
        hint: 'PEM, never shown again; or a reference.',
        kind: 'pem',
      },
      {
        name: 'ca',
        label: 'Authorities of the agent',
        hint: 'PEM or a reference. Empty: the usual ones.',
        kind: 'pem',
      },
    ],
  },
};

const REFERENCE = /^(env|file|vault|aws):/;

/** What is sent of it: without what is empty; references as such. */
export function authenticationOf(
  type: AuthenticationType,
  texts: AuthenticationTexts,
): Authentication {
  const members: Record<string, unknown> = {};
  for (const { name, kind } of AUTHENTICATIONS[type].fields) {
    const text = texts[name]?.trim() ?? '';
    if (text === '') continue;
    members[name] = memberOf(kind, text);
  }
  return { ...members, type };
}

function memberOf(kind: AuthenticationField['kind'], text: string): unknown {
  if (kind === 'words') return betweenCommas(text);
  if (kind === 'flag') return text === 'true';
  const mayRefer = kind === 'secret' || kind === 'pem';
  return mayRefer && REFERENCE.test(text) ? { secretRef: text } : text;
}
