import { WEBHOOK_LIMITS } from '../registration/webhook-registration.js';
import { RECORD_SOURCES, type RecordSource } from '../../common/record-source.js';
import type { Hold } from '../../auth/index.js';
import { Choice, Shown, Text } from '../../common/http/fields.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { STATES_BY_NAME, stateName } from '../delivery/domain/state-names.js';
import {
  SUBSCRIPTION_SCOPES,
  WEBHOOK_STATES,
  type Subscription,
  type SubscriptionScope,
  type WebhookState,
} from '../registration/webhook.js';
import type { SentTest } from '../sending/test-sender.js';
import { ShownWebhookDto, TestRequestDto } from './webhook-view.dto.js';

export class SubscriptionQueryDto extends PageQueryDto {
  @Text({ optional: true, max: 200, description: 'Only subscriptions of this organization.' })
  organization?: string;

  @Choice(WEBHOOK_STATES, { optional: true })
  state?: WebhookState;

  @Text({
    optional: true,
    max: WEBHOOK_LIMITS.url,
    description:
      'Any URL of the receiver, of which scheme, host and port are compared; or an endpoint as webhooks and deliveries show it.',
    example: 'https://hooks.example',
  })
  endpoint?: string;
}

class ShownFilterDto {
  @Shown.Text({ nullable: true, list: true })
  readonly agents!: readonly string[] | null;

  @Shown.Text({ nullable: true, list: true })
  readonly tags!: readonly string[] | null;

  @Shown.Choice([...STATES_BY_NAME.keys()], { nullable: true, list: true })
  readonly states!: readonly string[] | null;
}

export class SubscriptionDto extends ShownWebhookDto {
  @Shown.Text({ example: '0198c3a4-7d1e-7c3f-9a53-5b1f0c9b6a10' })
  readonly id: string;

  @Shown.Text({ nullable: true, example: 'Ledger' })
  readonly name: string | null;

  @Shown.Choice(RECORD_SOURCES, { description: '`config`: declared in the configuration file.' })
  readonly source: RecordSource;

  @Shown.Choice(SUBSCRIPTION_SCOPES)
  readonly scope: SubscriptionScope;

  @Shown.Nested(() => ShownFilterDto)
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

export class SubscriptionTestDto {
  @Shown.Flag({ description: 'The receiver answered with 2xx.' })
  readonly delivered: boolean;

  @Shown.Text({ description: 'The header `webhook-id` of the request.' })
  readonly webhookId: string;

  @Shown.Num({ nullable: true, description: 'HTTP status; null without an answer.' })
  readonly status: number | null;

  @Shown.Text({ nullable: true, description: 'Why there was no answer.' })
  readonly error: string | null;

  @Shown.Text({ nullable: true, description: 'The beginning of the answer.' })
  readonly response: string | null;

  @Shown.Num()
  readonly durationMs: number;

  @Shown.Nested(() => TestRequestDto, {
    nullable: true,
    description: 'What was sent, credentials as `***`; null: nothing was.',
  })
  readonly request: TestRequestDto | null;

  constructor({ webhookId, answer, request }: Pick<SentTest, 'webhookId' | 'answer' | 'request'>) {
    this.request = request && new TestRequestDto(request);
    const { status, error, detail, response, durationMs } = answer;
    this.delivered = status !== null && status >= 200 && status < 300;
    this.webhookId = webhookId;
    this.status = status;
    this.error = error === null ? null : (detail ?? error);
    this.response = response;
    this.durationMs = durationMs;
  }
}
