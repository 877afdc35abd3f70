import { ApiProperty } from '@nestjs/swagger';
import { type Hold, HOLDS } from '../../auth/index.js';
import { AttemptDto } from '../deliveries/attempt.dto.js';
import {
  EVENT_CHOICES,
  type AuthScheme,
  type EventChoice,
  type TaskWebhook,
  WEBHOOK_STATES,
  type Webhook,
  type WebhookState,
} from './webhook.js';
import type { WebhookProgress, Replay, TestRecord } from './webhook-store.js';

const DATE = { type: String, format: 'date-time' } as const;
const ID = '0199f1c2-8d11-7b52-9c3e-4a5b6c7d8e9f';

type Shown = Pick<TaskWebhook, 'authNames' | 'authProfile' | 'sealedCredentials'>;

export class ShownAuthenticationDto {
  @ApiProperty({
    enum: ['bearer', 'basic', 'api-key', 'hmac', 'jwt', 'profile'],
    description: 'The scheme that is used.',
  })
  readonly scheme: AuthScheme;

  @ApiProperty({ type: [String], description: 'As the client named it.', example: ['Bearer'] })
  readonly names: readonly string[];

  @ApiProperty({ type: String, nullable: true, description: 'The auth profile, by its name.' })
  readonly profile: string | null;

  @ApiProperty({ type: Boolean, description: 'Credentials are kept; they are never shown.' })
  readonly credentialsSet: boolean;

  constructor(scheme: AuthScheme, config: Shown) {
    this.scheme = scheme;
    this.names = config.authNames;
    this.profile = config.authProfile;
    this.credentialsSet = config.sealedCredentials !== null;
  }
}

/** What is shown of every webhook, whatever it is for. */
export abstract class ShownWebhookDto {
  @ApiProperty({ type: String, description: "The principal's id its deliveries belong to." })
  readonly owner: string;

  @ApiProperty({ type: String, example: 'acme' })
  readonly organization: string;

  @ApiProperty({ type: String, example: 'https://hooks.example/a2a' })
  readonly url: string;

  @ApiProperty({ enum: ['1.0', '0.3'] })
  readonly version: string;

  @ApiProperty({ type: ShownAuthenticationDto, nullable: true })
  readonly authentication: ShownAuthenticationDto | null;

  @ApiProperty({ type: Boolean })
  readonly tokenSet: boolean;

  @ApiProperty({ type: Boolean, description: 'Keys sign besides the authentication.' })
  readonly signingKeysSet: boolean;

  @ApiProperty({
    type: String,
    description: 'Changes with the URL and every secret; tells none of them.',
    example: '5f2b7c0f9d3e4a18b6c1d2e3f4051627',
  })
  readonly fingerprint: string;

  @ApiProperty({ enum: EVENT_CHOICES })
  readonly events: EventChoice;

  @ApiProperty({ type: Boolean, description: 'Its host resolved when it was registered.' })
  readonly verified: boolean;

  @ApiProperty({ enum: WEBHOOK_STATES })
  readonly state: WebhookState;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'For people.' })
  readonly stateReason: string | null;

  @ApiProperty({
    enum: HOLDS,
    nullable: true,
    example: null,
    description:
      'Why nothing is sent at this moment, whatever the state: the principal it is sent for is disabled, or (of a subscription) has no key any more that could ask for it. What happens is kept.',
  })
  readonly held: Hold | null;

  @ApiProperty(DATE)
  readonly createdAt: string;

  @ApiProperty(DATE)
  readonly updatedAt: string;

  constructor(of: TaskWebhook | Webhook, held: Hold | null) {
    this.owner = of.principalId;
    this.organization = of.organization;
    this.url = of.url;
    this.version = of.version;
    this.authentication =
      of.authScheme === null ? null : new ShownAuthenticationDto(of.authScheme, of);
    this.tokenSet = of.sealedToken !== null;
    this.signingKeysSet = of.sealedSigningKeys !== null;
    this.fingerprint = of.fingerprint;
    this.events = of.events;
    this.verified = of.verified;
    this.state = of.state;
    this.stateReason = of.stateReason;
    this.held = held;
    this.createdAt = of.createdAt.toISOString();
    this.updatedAt = of.updatedAt.toISOString();
  }
}

/** A webhook as it is told of one task. */
export class WebhookDto extends ShownWebhookDto {
  @ApiProperty({ type: String, description: "The hub's own id.", example: ID })
  readonly id: string;

  @ApiProperty({ type: String, example: '0199f1c2-7c1e-7a30-8f5e-0d5a3f6f2b11' })
  readonly taskId: string;

  @ApiProperty({ type: String, description: 'The id the client knows.', example: 'billing' })
  readonly configId: string;

  @ApiProperty({
    type: String,
    description: 'Organization, scheme, host and port.',
    example: 'acme https://hooks.example:443',
  })
  readonly endpoint: string;

  @ApiProperty({ type: String, nullable: true, description: 'The subscription that tells of it.' })
  readonly subscriptionId: string | null;

  @ApiProperty({ ...DATE, nullable: true, description: 'Since when nothing came of it.' })
  readonly failingSince: string | null;

  constructor(webhook: TaskWebhook, held: Hold | null) {
    super(webhook, held);
    this.id = webhook.uid;
    this.taskId = webhook.taskId;
    this.configId = webhook.configId;
    this.endpoint = webhook.endpoint;
    this.subscriptionId = webhook.subscriptionId;
    this.failingSince = webhook.failingSince?.toISOString() ?? null;
  }
}

export class WebhookPageDto {
  @ApiProperty({ type: [WebhookDto] })
  readonly items!: readonly WebhookDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}

export class WebhookProgressDto {
  @ApiProperty({ type: Number, description: 'Deliveries that are made and have not ended.' })
  readonly pending: number;

  @ApiProperty({ type: Number, description: 'Those still on record.', example: 12 })
  readonly delivered: number;

  @ApiProperty({ type: Number, example: 0 })
  readonly dead: number;

  @ApiProperty({ type: Number, description: "Entries of the task's log it has not looked at." })
  readonly entriesBehind: number;

  @ApiProperty({ type: AttemptDto, nullable: true })
  readonly lastAttempt: AttemptDto | null;

  @ApiProperty({ ...DATE, nullable: true })
  readonly nextAttemptAt: string | null;

  constructor(progress: WebhookProgress) {
    this.pending = progress.pending;
    this.delivered = progress.delivered;
    this.dead = progress.dead;
    this.entriesBehind = progress.entriesBehind;
    this.lastAttempt = progress.lastAttempt && new AttemptDto(progress.lastAttempt);
    this.nextAttemptAt = progress.nextAttemptAt?.toISOString() ?? null;
  }
}

export class WebhookDetailDto extends WebhookDto {
  @ApiProperty({ type: WebhookProgressDto })
  readonly progress: WebhookProgressDto;

  constructor(webhook: TaskWebhook, held: Hold | null, progress: WebhookProgress) {
    super(webhook, held);
    this.progress = new WebhookProgressDto(progress);
  }
}

export class ReplayDto {
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The entry that is looked at next; null when the log has none since that time.',
    example: 3,
  })
  readonly fromSequence: number | null;

  @ApiProperty({ type: Number, description: 'The newest entry of the log.', example: 9 })
  readonly toSequence: number;

  constructor(replay: Replay) {
    this.fromSequence = replay.fromSequence;
    this.toSequence = replay.toSequence;
  }
}

export class TestSendDto {
  @ApiProperty({ type: Boolean, description: 'The receiver answered with a 2xx status.' })
  readonly delivered: boolean;

  @ApiProperty({ type: String, description: 'Under which it is on record.', example: ID })
  readonly deliveryId: string;

  @ApiProperty({ type: String, description: 'The header `webhook-id`.' })
  readonly webhookId: string;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Why it failed.' })
  readonly reason: string | null;

  @ApiProperty({ type: AttemptDto })
  readonly attempt: AttemptDto;

  constructor(test: TestRecord) {
    this.delivered = test.delivered;
    this.deliveryId = test.id;
    this.webhookId = test.webhookId;
    this.reason = test.reason;
    this.attempt = new AttemptDto(test.attempt);
  }
}
