import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';

const MAX_TEXT = 1000;
const MAX_URL = 4096;
export const MAX_PEM = 65_536;

/** How the hub proves itself at a token server (RFC 6749 §2.3.1). */
export const CLIENT_AUTHENTICATIONS = ['client_secret_basic', 'client_secret_post'] as const;
export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number];

/** What schemes need besides their secret, as callers give it; null is as good as nothing. */
export class ProfileParametersDto {
  @ApiPropertyOptional({ type: String, nullable: true, description: 'basic', example: 'hub' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  username?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'api-key: the header that carries the key; default X-API-Key.',
    example: 'X-API-Key',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  header?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'oauth2: the token endpoint.',
    example: 'https://login.example.com/oauth2/token',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_URL)
  tokenUrl?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'oauth2', example: 'a2a-hub' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  clientId?: string | null;

  @ApiPropertyOptional({
    enum: CLIENT_AUTHENTICATIONS,
    nullable: true,
    description: 'oauth2: how the client secret is sent; default client_secret_basic.',
  })
  @IsOptional()
  @IsIn(CLIENT_AUTHENTICATIONS)
  clientAuthentication?: ClientAuthentication | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'oauth2: scopes, separated by spaces.',
    example: 'webhooks:write',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  scope?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'oauth2' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  audience?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'oauth2 (RFC 8707)' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_URL)
  resource?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: MAX_PEM,
    description:
      "mtls, PEM: the certificate authorities trusted for the receiver's certificate, instead of the public ones.",
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_PEM)
  ca?: string | null;
}

/** The same as it is shown, without certificates. */
export class ProfileParametersViewDto {
  @ApiPropertyOptional({ type: String })
  readonly username?: string;

  @ApiPropertyOptional({ type: String })
  readonly header?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'ed25519: the public key with which receivers verify.',
  })
  readonly publicKey?: string;

  @ApiPropertyOptional({ type: String, description: 'The public key of the previous key.' })
  readonly previousPublicKey?: string;

  @ApiPropertyOptional({ type: String })
  readonly tokenUrl?: string;

  @ApiPropertyOptional({ type: String })
  readonly clientId?: string;

  @ApiPropertyOptional({ enum: CLIENT_AUTHENTICATIONS })
  readonly clientAuthentication?: ClientAuthentication;

  @ApiPropertyOptional({ type: String })
  readonly scope?: string;

  @ApiPropertyOptional({ type: String })
  readonly audience?: string;

  @ApiPropertyOptional({ type: String })
  readonly resource?: string;

  @ApiPropertyOptional({ type: String })
  readonly ca?: string;
}

/** The parameters of a profile; only those of its scheme are there. See `schemes/`. */
export interface ProfileParameters extends ProfileParametersViewDto {
  /** `mtls`, PEM: the certificate with what leads to its authority. */
  readonly certificate?: string;
}
