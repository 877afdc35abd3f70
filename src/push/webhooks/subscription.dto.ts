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
import { WEBHOOK_LIMITS } from '../registration/webhook-registration.js';
import { STATES_BY_NAME } from '../delivery/domain/state-filter.js';
import { WebhookSecretsDto } from './webhook-secrets.dto.js';
import {
  EVENT_CHOICES,
  type EventChoice,
  SUBSCRIPTION_SCOPES,
  type SubscriptionScope,
} from '../registration/webhook.js';

/** Entries of each list of a filter. */
const MAX_ENTRIES = 100;
const STATES = [...STATES_BY_NAME.keys()];
const VERSIONS = ['1.0', '0.3'] as const;

export class SubscriptionFilterDto {
  @ApiPropertyOptional({
    type: [String],
    description: 'Agent ids: tasks that one of these agents works on.',
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
    description: 'Tags: tasks whose skill, or whose agent, has one of these.',
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
    description: 'Only changes into these states are delivered; artifacts are omitted.',
    example: ['completed', 'failed'],
  })
  @IfGiven()
  @IsArray()
  @ArrayNotEmpty()
  @IsIn(STATES, { each: true })
  states?: string[];
}

/** What may be changed at any time. */
class ChangeableDto extends WebhookSecretsDto {
  @ApiPropertyOptional({ type: String, nullable: true, example: 'Ledger' })
  @IsOptional()
  @Matches(NAME, NAME_RULE)
  name?: string | null;

  @ApiPropertyOptional({
    enum: EVENT_CHOICES,
    default: 'changes',
    description: '`changes`: changes of state and whole artifacts. `all`: every event.',
  })
  @IfGiven()
  @IsIn(EVENT_CHOICES)
  events?: EventChoice;

  @ApiPropertyOptional({
    type: SubscriptionFilterDto,
    nullable: true,
    description: 'Which tasks match; all given members must match. Null: all tasks.',
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
    description: 'The A2A version of the request bodies; it cannot be changed later.',
  })
  @IfGiven()
  @IsIn(VERSIONS)
  version?: (typeof VERSIONS)[number];
}

export class CreateSubscriptionDto extends WrittenSubscriptionDto {
  @ApiPropertyOptional({
    enum: SUBSCRIPTION_SCOPES,
    description:
      'Whose tasks: the caller’s `own`, or those of its `organization` (requires `tasks:organization`). ' +
      'Default: all tasks that the key may see.',
  })
  @IfGiven()
  @IsIn(SUBSCRIPTION_SCOPES)
  scope?: SubscriptionScope;

  @ApiPropertyOptional({
    type: String,
    description: 'For operators (`admin`): an organization other than the caller’s.',
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
