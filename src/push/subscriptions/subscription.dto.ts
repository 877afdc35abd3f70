import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { IfGiven, NAME, NAME_RULE, TAG, TAG_RULE } from '../../common/http/fields.js';
import { ID } from '../../common/id-pattern.js';
import { WEBHOOK_LIMITS } from '../configs/webhook-registration.js';
import { STATES_BY_NAME } from './domain/told-states.js';
import { SUBSCRIPTION_SCOPES, type SubscriptionScope } from './subscription.js';

/** Entries of each list of a filter, and signing keys. */
const MAX_ENTRIES = 100;
const MAX_KEYS = 10;
const STATES = [...STATES_BY_NAME.keys()];
const EVENTS = ['changes', 'all'] as const;
const VERSIONS = ['1.0', '0.3'] as const;

export class SubscriptionFilterDto {
  @ApiPropertyOptional({
    type: [String],
    description: 'Ids of agents; one of them works on the task.',
    example: ['billing'],
  })
  @IfGiven()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(MAX_ENTRIES)
  @Matches(ID, { each: true, message: 'each must be 1 to 63 of a-z, 0-9 and -' })
  agents?: string[];

  @ApiPropertyOptional({
    type: [String],
    description: 'Tags; the skill that is used, or its agent, has one of them.',
    example: ['invoices'],
  })
  @IfGiven()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(MAX_ENTRIES)
  @Matches(TAG, TAG_RULE)
  tags?: string[];

  @ApiPropertyOptional({
    enum: STATES,
    isArray: true,
    description: 'Only changes into these states are told; artifacts are left out then.',
    example: ['completed', 'failed'],
  })
  @IfGiven()
  @IsArray()
  @ArrayNotEmpty()
  @IsIn(STATES, { each: true })
  states?: string[];
}

export class SubscriptionAuthenticationDto {
  @ApiProperty({
    type: String,
    description: 'Bearer, Basic, ApiKey, HMAC, JWT or Profile, whatever the case.',
    example: 'Bearer',
  })
  @IsString()
  @MinLength(1)
  @MaxLength(WEBHOOK_LIMITS.id)
  scheme!: string;

  @ApiPropertyOptional({
    type: String,
    description: 'What the scheme needs: a token, `user:password`, a key, the name of a profile.',
    example: 'the-token-of-the-receiver',
  })
  @IfGiven()
  @IsString()
  @MaxLength(WEBHOOK_LIMITS.secret)
  credentials?: string;
}

/** The secrets of a webhook; they are never shown again. */
class SecretsDto {
  @ApiPropertyOptional({
    type: SubscriptionAuthenticationDto,
    nullable: true,
    description: 'How the hub proves itself; null: not at all.',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => SubscriptionAuthenticationDto)
  authentication?: SubscriptionAuthenticationDto | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'Sent as `A2A-Notification-Token`; null: none.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(WEBHOOK_LIMITS.token)
  token?: string | null;

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    description: 'Keys of Standard Webhooks that sign besides: `whsec_…` or `whsk_…`; null: none.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_KEYS)
  @IsString({ each: true })
  @MaxLength(WEBHOOK_LIMITS.secret, { each: true })
  signingKeys?: string[] | null;
}

/** What may be changed at any time. */
class ChangeableDto extends SecretsDto {
  @ApiPropertyOptional({ type: String, nullable: true, example: 'Ledger' })
  @IsOptional()
  @Matches(NAME, NAME_RULE)
  name?: string | null;

  @ApiPropertyOptional({
    enum: EVENTS,
    default: 'changes',
    description: '`changes`: changes of state and whole artifacts. `all`: every event.',
  })
  @IfGiven()
  @IsIn(EVENTS)
  events?: (typeof EVENTS)[number];

  @ApiPropertyOptional({
    type: SubscriptionFilterDto,
    nullable: true,
    description: 'Which tasks; all members that are given must hold. Null: all tasks.',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => SubscriptionFilterDto)
  filter?: SubscriptionFilterDto | null;
}

/** A subscription as it is written, in a request and in the file. */
export class WrittenSubscriptionDto extends ChangeableDto {
  @ApiProperty({ type: String, example: 'https://ledger.example.com/a2a' })
  @IsString()
  @MinLength(1)
  @MaxLength(WEBHOOK_LIMITS.url)
  url!: string;

  @ApiPropertyOptional({
    enum: VERSIONS,
    default: '1.0',
    description: 'The A2A version of the bodies; fixed for good.',
  })
  @IfGiven()
  @IsIn(VERSIONS)
  version?: (typeof VERSIONS)[number];
}

export class CreateSubscriptionDto extends WrittenSubscriptionDto {
  @ApiPropertyOptional({
    enum: SUBSCRIPTION_SCOPES,
    description:
      'Whose tasks: the caller’s `own`, or its `organization`’s (needs `tasks:organization`). ' +
      'Default: as much as the key may see.',
  })
  @IfGiven()
  @IsIn(SUBSCRIPTION_SCOPES)
  scope?: SubscriptionScope;

  @ApiPropertyOptional({
    type: String,
    description: 'For operators (`admin`): another organization than the caller’s.',
    example: 'acme',
  })
  @IfGiven()
  @Matches(NAME, NAME_RULE)
  organization?: string;
}

export class PatchSubscriptionDto extends ChangeableDto {
  @ApiPropertyOptional({ type: String, example: 'https://ledger.example.com/a2a/v2' })
  @IfGiven()
  @IsString()
  @MinLength(1)
  @MaxLength(WEBHOOK_LIMITS.url)
  url?: string;
}

export class RotateSubscriptionDto extends SecretsDto {
  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description: 'The signing keys of before go on signing behind the new ones.',
  })
  @IfGiven()
  @IsBoolean()
  keepSigningKeys?: boolean;
}

/** An entry of `subscriptions` in the configuration. */
export class DeclaredSubscriptionDto extends WrittenSubscriptionDto {
  @Matches(ID, { message: 'id must be 1 to 63 of a-z, 0-9 and -' })
  id!: string;

  @Matches(NAME, NAME_RULE)
  organization!: string;

  @IfGiven()
  @IsBoolean()
  paused?: boolean;
}
