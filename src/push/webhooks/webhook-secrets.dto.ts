import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  ValidateNested,
} from 'class-validator';
import { IfGiven } from '../../common/http/fields.js';
import { CLIENT_SCHEMES } from '../auth/schemes/schemes.js';
import type { GivenSecrets, RequestedWebhook } from '../registration/webhook-registration.js';

const SCHEMES = [...CLIENT_SCHEMES.values()].map(({ label }) => label).join(', ');
export const MAX_SIGNING_KEYS = 10;

export class WebhookAuthenticationDto {
  @ApiProperty({
    type: String,
    description: `One of ${SCHEMES}, in any case.`,
    example: 'Bearer',
  })
  @IsString()
  @IsNotEmpty()
  scheme!: string;

  @ApiPropertyOptional({
    type: String,
    writeOnly: true,
    description:
      'The credentials of the scheme: a token, `user:password` or a key; they are never returned.',
    example: 'the-receivers-token',
  })
  @IfGiven()
  @IsString()
  credentials?: string;
}

/** The secrets of a webhook, which are never shown again. Of one that exists: absent ones stay. */
export class WebhookSecretsDto {
  @ApiPropertyOptional({
    type: WebhookAuthenticationDto,
    nullable: true,
    description: 'How the hub authenticates itself to the receiver; null: not at all.',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => WebhookAuthenticationDto)
  authentication?: WebhookAuthenticationDto | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    writeOnly: true,
    description: 'Sent in the header A2A-Notification-Token; null: none.',
    example: 'new-token',
  })
  @IsOptional()
  @IsString()
  token?: string | null;

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    writeOnly: true,
    description:
      'Standard Webhooks keys, `whsec_` or `whsk_`, that sign every request in addition to the authentication; null or an empty list: none.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_SIGNING_KEYS)
  @IsString({ each: true })
  signingKeys?: string[] | null;
}

export class RotateWebhookDto extends WebhookSecretsDto {
  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description: 'Keep signing with the current keys in addition to the new ones.',
  })
  @IfGiven()
  @IsBoolean()
  keepSigningKeys?: boolean;
}

/** The secrets that are given; what is null is taken away. */
export function secretsOf({ authentication, token, signingKeys }: WebhookSecretsDto): GivenSecrets {
  const isGiven = authentication !== undefined;
  const given = isGiven ? { authentication: authenticationOf(authentication) ?? null } : {};
  return { ...given, token, signingKeys };
}

/** The secrets of a new webhook, absent ones too. */
interface NewSecrets {
  readonly authentication: RequestedWebhook['authentication'];
  readonly token: RequestedWebhook['token'];
  readonly signingKeys: readonly string[];
}

export function newSecretsOf({
  authentication,
  token,
  signingKeys,
}: WebhookSecretsDto): NewSecrets {
  return {
    authentication: authenticationOf(authentication),
    token,
    signingKeys: signingKeys ?? [],
  };
}

function authenticationOf(
  requested: WebhookAuthenticationDto | null | undefined,
): RequestedWebhook['authentication'] {
  return requested
    ? { scheme: requested.scheme, credentials: requested.credentials ?? '' }
    : undefined;
}
