import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import type { Hold } from '../../auth/index.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { ShownWebhookDto } from './webhook-view.dto.js';
import type { WebhookAnswer } from '../sending/webhook-sender.js';
import { STATES_BY_NAME, stateName } from '../delivery/domain/state-filter.js';
import {
  SUBSCRIPTION_SCOPES,
  WEBHOOK_STATES,
  type Subscription,
  type SubscriptionScope,
  type WebhookState,
} from '../registration/webhook.js';

export class SubscriptionQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ type: String, description: 'Only subscriptions of this organization.' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  organization?: string;

  @ApiPropertyOptional({ enum: WEBHOOK_STATES })
  @IsOptional()
  @IsIn(WEBHOOK_STATES)
  state?: WebhookState;
}

class ShownFilterDto {
  @ApiProperty({ type: [String], nullable: true })
  readonly agents!: readonly string[] | null;

  @ApiProperty({ type: [String], nullable: true })
  readonly tags!: readonly string[] | null;

  @ApiProperty({ enum: [...STATES_BY_NAME.keys()], isArray: true, nullable: true })
  readonly states!: readonly string[] | null;
}

export class SubscriptionDto extends ShownWebhookDto {
  @ApiProperty({ type: String, example: '0198c3a4-7d1e-7c3f-9a53-5b1f0c9b6a10' })
  readonly id: string;

  @ApiProperty({ type: String, nullable: true, example: 'Ledger' })
  readonly name: string | null;

  @ApiProperty({
    enum: ['api', 'config'],
    description: '`config`: declared in the configuration file.',
  })
  readonly source: 'api' | 'config';

  @ApiProperty({ enum: SUBSCRIPTION_SCOPES })
  readonly scope: SubscriptionScope;

  @ApiProperty({ type: ShownFilterDto })
  readonly filter: ShownFilterDto;

  constructor(of: Subscription, held: Hold | null) {
    super(of, held);
    this.id = of.id;
    this.name = of.name;
    this.source = of.source;
    this.scope = of.scope;
    this.filter = { ...of.filter, states: of.filter.states?.map(stateName) ?? null };
  }
}

export class SubscriptionPageDto {
  @ApiProperty({ type: [SubscriptionDto] })
  readonly items!: readonly SubscriptionDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}

export class SubscriptionTestDto {
  @ApiProperty({ type: Boolean, description: 'The receiver answered with 2xx.' })
  readonly delivered: boolean;

  @ApiProperty({ type: String, description: 'The header `webhook-id` of the request.' })
  readonly webhookId: string;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'HTTP status; null without an answer.',
  })
  readonly status: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why there was no answer.' })
  readonly error: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The beginning of the answer.' })
  readonly response: string | null;

  @ApiProperty({ type: Number })
  readonly durationMs: number;

  constructor(webhookId: string, answer: WebhookAnswer) {
    const { status, error, detail, response, durationMs } = answer;
    this.delivered = status !== null && status >= 200 && status < 300;
    this.webhookId = webhookId;
    this.status = status;
    this.error = error === null ? null : (detail ?? error);
    this.response = response;
    this.durationMs = durationMs;
  }
}
