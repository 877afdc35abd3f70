import { nameOf, PRINCIPAL_NAME } from '../../audit/index.js';
import { type Hold, HOLDS } from '../../auth/index.js';
import { Shown } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import { PROTOCOL_VERSIONS } from '../../protocol/protocol-version.js';
import { AUTH_SCHEME_NAMES, type AuthSchemeName } from '../auth/schemes/schemes.js';
import { DeliveryAttemptDto } from '../records/attempt.dto.js';
import {
  EVENT_CHOICES,
  type EventChoice,
  type TaskWebhook,
  WEBHOOK_STATES,
  type Webhook,
  type WebhookState,
} from '../registration/webhook.js';
import type { ShownRequest } from '../sending/domain/shown-request.js';
import type { RecordedTest } from './test-sends.js';
import type { WebhookProgress, Replay } from './webhook-store.js';

const ID = '0199f1c2-8d11-7b52-9c3e-4a5b6c7d8e9f';

type Shown = Pick<TaskWebhook, 'authNames' | 'authProfile' | 'sealedCredentials'>;

export class ShownAuthenticationDto {
  @Shown.Choice(AUTH_SCHEME_NAMES, { description: 'The scheme that is used.' })
  readonly scheme: AuthSchemeName;

  @Shown.Text({
    list: true,
    description: 'The scheme names, as the client wrote them.',
    example: ['Bearer'],
  })
  readonly names: readonly string[];

  @Shown.Text({ nullable: true, description: 'Name of the auth profile.' })
  readonly profile: string | null;

  @Shown.Flag({ description: 'Whether credentials are stored; they are never returned.' })
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
  @Shown.Text({ description: 'Id of the principal that owns its deliveries.' })
  readonly owner!: string;

  @Shown.Text({ example: 'acme' })
  readonly organization!: string;

  @Shown.Text({ example: 'https://hooks.example/a2a' })
  readonly url!: string;

  @Shown.Choice(PROTOCOL_VERSIONS)
  readonly version!: string;

  @Shown.Nested(() => ShownAuthenticationDto, { nullable: true })
  readonly authentication!: ShownAuthenticationDto | null;

  @Shown.Flag()
  readonly tokenSet!: boolean;

  @Shown.Flag({ description: 'Whether signing keys are stored.' })
  readonly signingKeysSet!: boolean;

  @Shown.Text({
    description: 'Changes with the URL and with every secret, without revealing them.',
    example: '5f2b7c0f9d3e4a18b6c1d2e3f4051627',
  })
  readonly fingerprint!: string;

  @Shown.Choice(EVENT_CHOICES)
  readonly events!: EventChoice;

  @Shown.Flag({ description: 'Whether its host resolved when it was registered.' })
  readonly verified!: boolean;

  @Shown.Choice(WEBHOOK_STATES)
  readonly state!: WebhookState;

  @Shown.Text({ nullable: true, description: 'For people.', example: null })
  readonly stateReason!: string | null;

  @Shown.Choice(HOLDS, {
    nullable: true,
    description:
      'Why nothing is sent at the moment, whatever the state: the principal is disabled, or (for a subscription) has no key with the required scope any more. Events are kept.',
    example: null,
  })
  readonly held!: Hold | null;

  @Shown.Time()
  readonly createdAt!: string;

  @Shown.Time()
  readonly updatedAt!: string;

  constructor(of: TaskWebhook | Webhook, held: Hold | null) {
    fill<ShownWebhookDto>(this, {
      ...of,
      owner: of.principalId,
      authentication: of.authScheme === null ? null : new ShownAuthenticationDto(of.authScheme, of),
      tokenSet: of.sealedToken !== null,
      signingKeysSet: of.sealedSigningKeys !== null,
      held,
    });
  }
}

/** A webhook of one task. */
export class WebhookDto extends ShownWebhookDto {
  @Shown.Text({ description: "The hub's own id.", example: ID })
  readonly id: string;

  @Shown.Text(PRINCIPAL_NAME)
  readonly ownerName: string | null;

  @Shown.Text({ example: '0199f1c2-7c1e-7a30-8f5e-0d5a3f6f2b11' })
  readonly taskId: string;

  @Shown.Text({ description: 'The id that the client gave, or received.', example: 'billing' })
  readonly configId: string;

  @Shown.Text({
    description: 'Organization, scheme, host and port.',
    example: 'acme https://hooks.example:443',
  })
  readonly endpoint: string;

  @Shown.Text({
    nullable: true,
    description: 'The subscription it belongs to; null for a webhook of one task.',
  })
  readonly subscriptionId: string | null;

  @Shown.Time({
    nullable: true,
    description: 'Since when every attempt has failed.',
  })
  readonly failingSince: string | null;

  constructor(webhook: TaskWebhook, held: Hold | null, names: ReadonlyMap<string, string>) {
    super(webhook, held);
    this.ownerName = nameOf(names, webhook.principalId);
    this.id = webhook.streamId;
    this.taskId = webhook.taskId;
    this.configId = webhook.configId;
    this.endpoint = webhook.endpoint;
    this.subscriptionId = webhook.subscriptionId;
    this.failingSince = webhook.failingSince?.toISOString() ?? null;
  }
}

export class WebhookProgressDto {
  @Shown.Num({ description: 'Deliveries that have not ended.' })
  readonly pending!: number;

  @Shown.Num({ description: 'Delivered deliveries that are still on record.', example: 12 })
  readonly delivered!: number;

  @Shown.Num({ example: 0 })
  readonly dead!: number;

  @Shown.Num({
    description:
      "Entries of the task's log that are not processed yet; not all of them become deliveries.",
  })
  readonly entriesBehind!: number;

  @Shown.Nested(() => DeliveryAttemptDto, { nullable: true })
  readonly lastAttempt!: DeliveryAttemptDto | null;

  @Shown.Time({ nullable: true })
  readonly nextAttemptAt!: string | null;

  constructor(progress: WebhookProgress) {
    fill<WebhookProgressDto>(this, {
      ...progress,
      lastAttempt: progress.lastAttempt && new DeliveryAttemptDto(progress.lastAttempt),
    });
  }
}

export class WebhookDetailDto extends WebhookDto {
  @Shown.Nested(() => WebhookProgressDto)
  readonly progress: WebhookProgressDto;

  constructor(
    webhook: TaskWebhook,
    held: Hold | null,
    names: ReadonlyMap<string, string>,
    progress: WebhookProgress,
  ) {
    super(webhook, held, names);
    this.progress = new WebhookProgressDto(progress);
  }
}

export class ReplayDto {
  @Shown.Num({
    nullable: true,
    description:
      'The entry from which the replay begins; null when the log has none since that time.',
    example: 3,
  })
  readonly fromSequence!: number | null;

  @Shown.Num({ description: 'The newest entry of the log.', example: 9 })
  readonly toSequence!: number;

  constructor(replay: Replay) {
    fill<ReplayDto>(this, replay);
  }
}

const SENT =
  'What was sent, credentials as `***`; null: the proof of who sends could not be made, so nothing was.';

export class TestRequestDto implements ShownRequest {
  @Shown.Choice(['POST'])
  readonly method!: 'POST';

  @Shown.Text()
  readonly url!: string;

  @Shown.Json({
    values: { type: 'string' },
    description: 'By name, the signatures among them.',
    example: { 'webhook-id': 'msg_1', 'webhook-signature': 'v1,K5oZ…' },
  })
  readonly headers!: Readonly<Record<string, string>>;

  @Shown.Text({ description: 'Exactly as it was sent and signed.' })
  readonly body!: string;

  @Shown.Flag({ description: 'There is more of the body than is shown.' })
  readonly isCut!: boolean;

  constructor(request: ShownRequest) {
    fill<TestRequestDto>(this, request);
  }
}

export class TestSendDto {
  @Shown.Flag({ description: 'The receiver answered with a 2xx status.' })
  readonly delivered!: boolean;

  @Shown.Text({ description: 'Id of the recorded delivery.', example: ID })
  readonly deliveryId!: string;

  @Shown.Text({ description: 'The header `webhook-id`.' })
  readonly webhookId!: string;

  @Shown.Text({ nullable: true, description: 'Why it failed.', example: null })
  readonly reason!: string | null;

  @Shown.Nested(() => DeliveryAttemptDto)
  readonly attempt!: DeliveryAttemptDto;

  @Shown.Nested(() => TestRequestDto, { nullable: true, description: SENT })
  readonly request!: TestRequestDto | null;

  constructor(test: RecordedTest) {
    fill<TestSendDto>(this, {
      ...test,
      request: test.request && new TestRequestDto(test.request),
      deliveryId: test.id,
      attempt: new DeliveryAttemptDto(test.attempt),
    });
  }
}
