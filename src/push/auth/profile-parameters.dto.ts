import { Choice, Shown, Text } from '../../common/http/fields.js';
import {
  SECRET_AUTHENTICATIONS,
  type SecretAuthentication,
} from '../../common/oauth/request-token.js';

const MAX_TEXT = 1000;
const MAX_URL = 4096;
export const MAX_PEM = 65_536;

/** What schemes need besides their secret, as callers give it; null is as good as nothing. */
export class ProfileParametersDto {
  @Text({ optional: true, nullable: true, max: MAX_TEXT, description: 'basic', example: 'hub' })
  username?: string | null;

  @Text({
    optional: true,
    nullable: true,
    max: MAX_TEXT,
    description: 'api-key: the header that carries the key; default X-API-Key.',
    example: 'X-API-Key',
  })
  header?: string | null;

  @Text({
    optional: true,
    nullable: true,
    max: MAX_URL,
    description: 'oauth2: the token endpoint.',
    example: 'https://login.example.com/oauth2/token',
  })
  tokenUrl?: string | null;

  @Text({
    optional: true,
    nullable: true,
    max: MAX_TEXT,
    description: 'oauth2',
    example: 'a2a-hub',
  })
  clientId?: string | null;

  @Choice(SECRET_AUTHENTICATIONS, {
    optional: true,
    nullable: true,
    description: 'oauth2: how the client secret is sent; default client_secret_basic.',
  })
  clientAuthentication?: SecretAuthentication | null;

  @Text({
    optional: true,
    nullable: true,
    max: MAX_TEXT,
    description: 'oauth2: scopes, separated by spaces.',
    example: 'webhooks:write',
  })
  scope?: string | null;

  @Text({ optional: true, nullable: true, max: MAX_TEXT, description: 'oauth2' })
  audience?: string | null;

  @Text({ optional: true, nullable: true, max: MAX_URL, description: 'oauth2 (RFC 8707)' })
  resource?: string | null;

  @Text({
    optional: true,
    nullable: true,
    max: MAX_PEM,
    description:
      "mtls, PEM: the certificate authorities trusted for the receiver's certificate, instead of the public ones.",
  })
  ca?: string | null;
}

/** The same as it is shown, without certificates. */
export class ProfileParametersViewDto {
  @Shown.Text({ optional: true })
  readonly username?: string;

  @Shown.Text({ optional: true })
  readonly header?: string;

  @Shown.Text({
    optional: true,
    description: 'ed25519: the public key with which receivers verify.',
  })
  readonly publicKey?: string;

  @Shown.Text({ optional: true, description: 'The public key of the previous key.' })
  readonly previousPublicKey?: string;

  @Shown.Text({ optional: true })
  readonly tokenUrl?: string;

  @Shown.Text({ optional: true })
  readonly clientId?: string;

  @Shown.Choice(SECRET_AUTHENTICATIONS, { optional: true })
  readonly clientAuthentication?: SecretAuthentication;

  @Shown.Text({ optional: true })
  readonly scope?: string;

  @Shown.Text({ optional: true })
  readonly audience?: string;

  @Shown.Text({ optional: true })
  readonly resource?: string;

  @Shown.Text({ optional: true })
  readonly ca?: string;
}

/** The parameters of a profile; only those of its scheme are there. See `schemes/`. */
export interface ProfileParameters extends ProfileParametersViewDto {
  /** `mtls`, PEM: the certificate with what leads to its authority. */
  readonly certificate?: string;
}
