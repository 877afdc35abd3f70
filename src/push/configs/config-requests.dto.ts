import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsNotEmpty,
  IsObject,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { IfGiven } from '../../common/http/fields.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { invalidField } from '../../common/hub-error.js';
import { EVENT_CHOICES, type EventChoice, type PushConfigState } from './push-config.js';
import { WEBHOOK_LIMITS } from './webhook-registration.js';
import type { ReplayStart } from './managed-config-store.js';

const VERSIONS = ['1.0', '0.3'] as const;
const STATES = ['active', 'failing', 'paused', 'disabled'] as const;
const MAX_NAME = 256;
const MAX_KEYS = 10;

/** The member may be absent, or null to take the value away. */
const IfNotNull = () => ValidateIf((_, value) => value !== undefined && value !== null);

export class WebhookQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ type: String })
  @IfGiven()
  @IsString()
  @MaxLength(MAX_NAME)
  taskId?: string;

  @ApiPropertyOptional({ type: String, description: "The principal's id whose tasks they are on." })
  @IfGiven()
  @IsString()
  @MaxLength(MAX_NAME)
  owner?: string;

  @ApiPropertyOptional({ type: String })
  @IfGiven()
  @IsString()
  @MaxLength(MAX_NAME)
  organization?: string;

  @ApiPropertyOptional({ enum: STATES })
  @IfGiven()
  @IsIn(STATES)
  state?: PushConfigState;

  @ApiPropertyOptional({
    type: String,
    description: 'Any URL of the receiver; its scheme, host and port count.',
    example: 'https://hooks.example',
  })
  @IfGiven()
  @IsString()
  @MaxLength(WEBHOOK_LIMITS.url)
  endpoint?: string;

  @ApiPropertyOptional({ type: String, description: 'The whole URL, as it was registered.' })
  @IfGiven()
  @IsString()
  @MaxLength(WEBHOOK_LIMITS.url)
  url?: string;

  @ApiPropertyOptional({ type: String })
  @IfGiven()
  @IsString()
  @MaxLength(MAX_NAME)
  subscriptionId?: string;
}

export class WebhookAuthenticationDto {
  @ApiProperty({
    type: String,
    description: 'Bearer, Basic, ApiKey, HMAC, JWT or Profile, in any case.',
    example: 'Bearer',
  })
  @IsString()
  @IsNotEmpty()
  scheme!: string;

  @ApiPropertyOptional({
    type: String,
    writeOnly: true,
    description: 'What the scheme needs; never shown again.',
    example: 'the-receivers-token',
  })
  @IfGiven()
  @IsString()
  credentials?: string;
}

export class CreateWebhookDto {
  @ApiProperty({ type: String, example: '0199f1c2-7c1e-7a30-8f5e-0d5a3f6f2b11' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_NAME)
  taskId!: string;

  @ApiPropertyOptional({
    type: String,
    description: 'Your name for it, unique on its task; the same again replaces it.',
    example: 'billing',
  })
  @IfGiven()
  @IsString()
  @IsNotEmpty()
  id?: string;

  @ApiProperty({ type: String, example: 'https://hooks.example/a2a' })
  @IsString()
  @IsNotEmpty()
  url!: string;

  @ApiPropertyOptional({ type: WebhookAuthenticationDto })
  @IfGiven()
  @IsObject()
  @ValidateNested()
  @Type(() => WebhookAuthenticationDto)
  authentication?: WebhookAuthenticationDto;

  @ApiPropertyOptional({
    type: String,
    writeOnly: true,
    description: 'Sent back in A2A-Notification-Token; never shown again.',
  })
  @IfGiven()
  @IsString()
  token?: string;

  @ApiPropertyOptional({
    type: [String],
    writeOnly: true,
    description: 'Keys of Standard Webhooks, `whsec_` or `whsk_`, that sign every request besides.',
  })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(MAX_KEYS)
  @IsString({ each: true })
  signingKeys?: string[];

  @ApiPropertyOptional({
    enum: EVENT_CHOICES,
    default: 'changes',
    description:
      '`changes`: status changes and whole artifacts. `all`: every event of its streams.',
  })
  @IsIn(EVENT_CHOICES)
  events: EventChoice = 'changes';

  @ApiPropertyOptional({
    enum: VERSIONS,
    default: '1.0',
    description: 'What the body is: a StreamResponse of A2A 1.0, or the Task of 0.3.',
  })
  @IsIn(VERSIONS)
  version: '1.0' | '0.3' = '1.0';
}

/** Secrets as they are changed: absent ones stay, null takes one away. */
class WebhookSecretsDto {
  @ApiPropertyOptional({ type: WebhookAuthenticationDto, nullable: true })
  @IfNotNull()
  @IsObject()
  @ValidateNested()
  @Type(() => WebhookAuthenticationDto)
  authentication?: WebhookAuthenticationDto | null;

  @ApiPropertyOptional({ type: String, nullable: true, writeOnly: true, example: 'new-token' })
  @IfNotNull()
  @IsString()
  token?: string | null;

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    writeOnly: true,
    description: 'Null or an empty list: none.',
  })
  @IfNotNull()
  @IsArray()
  @ArrayMaxSize(MAX_KEYS)
  @IsString({ each: true })
  signingKeys?: string[] | null;
}

/** Another origin (scheme, host, port) needs the secrets given with it, or taken away. */
export class PatchWebhookDto extends WebhookSecretsDto {
  @ApiPropertyOptional({ type: String, example: 'https://hooks.example/v2' })
  @IfGiven()
  @IsString()
  @IsNotEmpty()
  url?: string;

  @ApiPropertyOptional({ enum: EVENT_CHOICES })
  @IfGiven()
  @IsIn(EVENT_CHOICES)
  events?: EventChoice;
}

export class RotateWebhookDto extends WebhookSecretsDto {
  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description: 'The present signing keys go on signing beside the new ones.',
  })
  @IfGiven()
  @IsBoolean()
  keepSigningKeys?: boolean;
}

export class ReplayWebhookDto {
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'From the first event that is not older.',
    example: '2026-01-31T12:00:00Z',
  })
  @IfGiven()
  @IsISO8601({ strict: true })
  @MaxLength(40)
  since?: string;

  @ApiPropertyOptional({
    type: Number,
    minimum: 1,
    description: "From this entry of the task's log (`A2A-Hub-Sequence`).",
    example: 3,
  })
  @IfGiven()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  sequence?: number;
}

/** Throws INVALID_PARAMS unless exactly one of both is given. */
export function replayStartOf({ since, sequence }: ReplayWebhookDto): ReplayStart {
  if (since !== undefined && sequence !== undefined) {
    throw invalidField('sequence', 'and since cannot both be given');
  }
  if (sequence !== undefined) return { sequence };
  if (since === undefined) throw invalidField('since', 'or sequence must be given');
  return { since: new Date(since) };
}
