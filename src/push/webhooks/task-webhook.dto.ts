import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsISO8601, IsNotEmpty, IsString, Max, MaxLength, Min } from 'class-validator';
import { IfGiven } from '../../common/http/fields.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { invalidField } from '../../common/hub-error.js';
import {
  EVENT_CHOICES,
  type EventChoice,
  WEBHOOK_STATES,
  type WebhookState,
} from '../registration/webhook.js';
import { WEBHOOK_LIMITS } from '../registration/webhook-registration.js';
import { WebhookSecretsDto } from './webhook-secrets.dto.js';
import type { ReplayStart } from './webhook-store.js';

const VERSIONS = ['1.0', '0.3'] as const;
const MAX_NAME = 256;

export class WebhookQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ type: String })
  @IfGiven()
  @IsString()
  @MaxLength(MAX_NAME)
  taskId?: string;

  @ApiPropertyOptional({ type: String, description: 'Id of the principal that owns the tasks.' })
  @IfGiven()
  @IsString()
  @MaxLength(MAX_NAME)
  owner?: string;

  @ApiPropertyOptional({ type: String })
  @IfGiven()
  @IsString()
  @MaxLength(MAX_NAME)
  organization?: string;

  @ApiPropertyOptional({ enum: WEBHOOK_STATES })
  @IfGiven()
  @IsIn(WEBHOOK_STATES)
  state?: WebhookState;

  @ApiPropertyOptional({
    type: String,
    description: 'Any URL of the receiver; its scheme, host and port are compared.',
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

export class CreateWebhookDto extends WebhookSecretsDto {
  @ApiProperty({ type: String, example: '0199f1c2-7c1e-7a30-8f5e-0d5a3f6f2b11' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_NAME)
  taskId!: string;

  @ApiPropertyOptional({
    type: String,
    description:
      'The id of the webhook, unique for its task; a webhook with the same id is replaced.',
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

  @ApiPropertyOptional({
    enum: EVENT_CHOICES,
    default: 'changes',
    description:
      '`changes`: status changes and whole artifacts. `all`: every event that streams show.',
  })
  @IsIn(EVENT_CHOICES)
  events: EventChoice = 'changes';

  @ApiPropertyOptional({
    enum: VERSIONS,
    default: '1.0',
    description: 'The request body: a StreamResponse of A2A 1.0, or the Task of 0.3.',
  })
  @IsIn(VERSIONS)
  version: '1.0' | '0.3' = '1.0';
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

export class ReplayWebhookDto {
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Begin with the first event that is not older than this time.',
    example: '2026-01-31T12:00:00Z',
  })
  @IfGiven()
  @IsISO8601({ strict: true })
  @MaxLength(40)
  since?: string;

  @ApiPropertyOptional({
    type: Number,
    minimum: 1,
    description: "Begin with this entry of the task's log (`A2A-Hub-Sequence`).",
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
