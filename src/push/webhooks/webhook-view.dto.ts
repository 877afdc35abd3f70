import { ApiProperty } from '@nestjs/swagger';
import { type Hold, HOLDS } from '../../auth/index.js';
import { AUTH_SCHEME_NAMES, type AuthSchemeName } from '../auth/schemes/schemes.js';
import { AttemptDto } from '../records/attempt.dto.js';
import {
  EVENT_CHOICES,
  type EventChoice,
  type TaskWebhook,
  WEBHOOK_STATES,
  type Webhook,
  type WebhookState,
} from '../registration/webhook.js';
import type { WebhookProgress, Replay, TestRecord } from './webhook-store.js';

const DATE = { type: String, format: 'date-time' } as const;
const ID = '0199f1c2-8d11-7b52-9c3e-4a5b6c7d8e9f';

type Shown = Pick<TaskWebhook, 'authNames' | 'authProfile' | 'sealedCredentials'>;

export class ShownAuthenticationDto {
  @ApiProperty({
    enum: AUTH_SCHEME_NAMES,
    description: 'The scheme that is used.',
  })
  readonly scheme: AuthSchemeName;

  @ApiProperty({
    type: [String],
    description: 'The scheme names, as the client wrote them.',
    example: ['Bearer'],
  })
  readonly names: readonly string[];

  @ApiProperty({ type: String, nullable: true, description: 'Name of the auth profile.' })
  readonly profile: string | null;

  @ApiProperty({
    type: Boolean,
    description: 'Whether credentials are stored; they are never returned.',
  })
  readonly credentialsSet: boolean;

  constructor(scheme: AuthSchemeName, webhook: Shown) {
    this.scheme = scheme;
    this.names = webhook.authNames;
    this.profile = webhook.authProfile;
    this.credentialsSet = webhook.sealedCredentials !== null;
  }
}

/** What is shown of every webhook, whatever it is for. */
export abstract class ShownWebhookDto {
  @ApiProperty({ type: String, description: 'Id of the principal that owns its deliveries.' })
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

  @ApiProperty({ type: Boolean, description: 'Whether signing keys are stored.' })
  readonly signingKeysSet: boolean;

  @ApiProperty({
    type: String,
    description: 'Changes with the URL and with every secret, without revealing them.',
    example: '5f2b7c0f9d3e4a18b6c1d2e3f4051627',
  })
  readonly fingerprint: string;

  @ApiProperty({ enum: EVENT_CHOICES })
  readonly events: EventChoice;

  @ApiProperty({ type: Boolean, description: 'Whether its host resolved when it was registered.' })
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
      'Why nothing is sent at the moment, whatever the state: the principal is disabled, or (for a subscription) has no key with the required scope any more. Events are kept.',
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

/** A webhook of one task. */
export class WebhookDto extends ShownWebhookDto {
  @ApiProperty({ type: String, description: "The hub's own id.", example: ID })
  readonly id: string;

  @ApiProperty({ type: String, example: '0199f1c2-7c1e-7a30-8f5e-0d5a3f6f2b11' })
  readonly taskId: string;

  @ApiProperty({
    type: String,
    description: 'The id that the client gave, or received.',
    example: 'billing',
  })
  readonly configId: string;

  @ApiProperty({
    type: String,
    description: 'Organization, scheme, host and port.',
    example: 'acme https://hooks.example:443',
  })
  readonly endpoint: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The subscription it belongs to; null for a webhook of one task.',
  })
  readonly subscriptionId: string | null;

  @ApiProperty({ ...DATE, nullable: true, description: 'Since when every attempt has failed.' })
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
  @ApiProperty({ type: Number, description: 'Deliveries that have not ended.' })
  readonly pending: number;

  @ApiProperty({
    type: Number,
    description: 'Delivered deliveries that are still on record.',
    example: 12,
  })
  readonly delivered: number;

  @ApiProperty({ type: Number, example: 0 })
  readonly dead: number;

  @ApiProperty({
    type: Number,
    description:
      "Entries of the task's log that are not processed yet; not all of them become deliveries.",
  })
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
    description:
      'The entry from which the replay begins; null when the log has none since that time.',
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

  @ApiProperty({ type: String, description: 'Id of the recorded delivery.', example: ID })
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
