import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { type Hold, HOLDS } from '../../auth/index.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { ShownAuthenticationDto } from '../configs/config-view.dto.js';
import type { WebhookAnswer } from '../sending/webhook-sender.js';
import { STATES_BY_NAME, stateName } from './domain/told-states.js';
import {
  SUBSCRIPTION_SCOPES,
  SUBSCRIPTION_STATES,
  type Subscription,
  type SubscriptionScope,
  type SubscriptionState,
} from './subscription.js';

export class SubscriptionQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ type: String, description: 'Only those of this organization.' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  organization?: string;

  @ApiPropertyOptional({ enum: SUBSCRIPTION_STATES })
  @IsOptional()
  @IsIn(SUBSCRIPTION_STATES)
  state?: SubscriptionState;
}

class ShownFilterDto {
  @ApiProperty({ type: [String], nullable: true })
  readonly agents!: readonly string[] | null;

  @ApiProperty({ type: [String], nullable: true })
  readonly tags!: readonly string[] | null;

  @ApiProperty({ enum: [...STATES_BY_NAME.keys()], isArray: true, nullable: true })
  readonly states!: readonly string[] | null;
}

export class SubscriptionDto {
  @ApiProperty({ type: String, example: '0198c3a4-7d1e-7c3f-9a53-5b1f0c9b6a10' })
  readonly id: string;

  @ApiProperty({ type: String, nullable: true, example: 'Ledger' })
  readonly name: string | null;

  @ApiProperty({ enum: ['api', 'config'], description: '`config`: declared in the file.' })
  readonly source: 'api' | 'config';

  @ApiProperty({ type: String, example: 'acme' })
  readonly organization: string;

  @ApiProperty({ type: String, description: 'Whom its deliveries belong to.' })
  readonly owner: string;

  @ApiProperty({ enum: SUBSCRIPTION_SCOPES })
  readonly scope: SubscriptionScope;

  @ApiProperty({ type: String, example: 'https://ledger.example.com/a2a' })
  readonly url: string;

  @ApiProperty({ enum: ['1.0', '0.3'] })
  readonly version: string;

  @ApiProperty({ type: ShownAuthenticationDto, nullable: true })
  readonly authentication: ShownAuthenticationDto | null;

  @ApiProperty({ type: Boolean })
  readonly tokenSet: boolean;

  @ApiProperty({ type: Boolean, description: 'Keys sign besides the authentication.' })
  readonly signingKeysSet: boolean;

  @ApiProperty({ enum: ['changes', 'all'] })
  readonly events: string;

  @ApiProperty({ type: ShownFilterDto })
  readonly filter: ShownFilterDto;

  @ApiProperty({
    type: String,
    description: 'Changes with the address and the secrets, and tells nothing of them.',
    example: '5f1c0a3e9b7d42c68e0f1a2b3c4d5e6f',
  })
  readonly fingerprint: string;

  @ApiProperty({ type: Boolean, description: 'False: its host did not resolve when it was set.' })
  readonly verified: boolean;

  @ApiProperty({ enum: SUBSCRIPTION_STATES })
  readonly state: SubscriptionState;

  @ApiProperty({ type: String, nullable: true, description: 'Why it is failing or disabled.' })
  readonly stateReason: string | null;

  @ApiProperty({
    enum: HOLDS,
    nullable: true,
    example: null,
    description:
      'Why nothing is sent at this moment, whatever the state: its owner is disabled, or has no key any more that could ask for it. What happens is kept.',
  })
  readonly held: Hold | null;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly createdAt: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly updatedAt: string;

  constructor(of: Subscription, held: Hold | null) {
    this.id = of.id;
    this.name = of.name;
    this.source = of.source;
    this.organization = of.organization;
    this.owner = of.principalId;
    this.scope = of.scope;
    this.url = of.url;
    this.version = of.version;
    this.authentication =
      of.authScheme === null ? null : new ShownAuthenticationDto(of.authScheme, of);
    this.tokenSet = of.sealedToken !== null;
    this.signingKeysSet = of.sealedSigningKeys !== null;
    this.events = of.events;
    this.filter = { ...of.filter, states: of.filter.states?.map(stateName) ?? null };
    this.fingerprint = of.fingerprint;
    this.verified = of.verified;
    this.state = of.state;
    this.stateReason = of.stateReason;
    this.held = held;
    this.createdAt = of.createdAt.toISOString();
    this.updatedAt = of.updatedAt.toISOString();
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

  @ApiProperty({ type: String, description: 'The header `webhook-id` it was sent with.' })
  readonly webhookId: string;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'HTTP status; null without an answer.',
  })
  readonly status: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why no answer came.' })
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
