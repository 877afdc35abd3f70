import { Choice, Int, Text, Time } from '../../common/http/fields.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { invalidField } from '../../common/hub-error.js';
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../protocol/protocol-version.js';
import { WEBHOOK_LIMITS } from '../registration/webhook-registration.js';
import {
  EVENT_CHOICES,
  type EventChoice,
  WEBHOOK_STATES,
  type WebhookState,
} from '../registration/webhook.js';
import { WebhookSecretsDto } from './webhook-secrets.dto.js';
import type { ReplayStart } from './webhook-store.js';

const MAX_NAME = 256;

export class WebhookQueryDto extends PageQueryDto {
  @Text({ optional: true, max: MAX_NAME })
  taskId?: string;

  @Text({ optional: true, max: MAX_NAME, description: 'Id of the principal that owns the tasks.' })
  owner?: string;

  @Text({ optional: true, max: MAX_NAME })
  organization?: string;

  @Choice(WEBHOOK_STATES, { optional: true })
  state?: WebhookState;

  @Text({
    optional: true,
    max: WEBHOOK_LIMITS.url,
    description: 'Any URL of the receiver; its scheme, host and port are compared.',
    example: 'https://hooks.example',
  })
  endpoint?: string;

  @Text({
    optional: true,
    max: WEBHOOK_LIMITS.url,
    description: 'The whole URL, as it was registered.',
  })
  url?: string;

  @Text({ optional: true, max: MAX_NAME })
  subscriptionId?: string;
}

export class CreateWebhookDto extends WebhookSecretsDto {
  @Text({ min: 1, max: MAX_NAME, example: '0199f1c2-7c1e-7a30-8f5e-0d5a3f6f2b11' })
  taskId!: string;

  @Text({
    optional: true,
    min: 1,
    description:
      'The id of the webhook, unique for its task; a webhook with the same id is replaced.',
    example: 'billing',
  })
  id?: string;

  @Text({ min: 1, example: 'https://hooks.example/a2a' })
  url!: string;

  @Choice(EVENT_CHOICES, {
    optional: true,
    default: 'changes',
    description:
      '`changes`: status changes and whole artifacts. `all`: every event that streams show.',
  })
  events: EventChoice = 'changes';

  @Choice(PROTOCOL_VERSIONS, {
    optional: true,
    default: '1.0',
    description: 'The request body: a StreamResponse of A2A 1.0, or the Task of 0.3.',
  })
  version: ProtocolVersion = '1.0';
}

/** Another origin (scheme, host, port) needs the secrets given with it, or taken away. */
export class PatchWebhookDto extends WebhookSecretsDto {
  @Text({ optional: true, min: 1, example: 'https://hooks.example/v2' })
  url?: string;

  @Choice(EVENT_CHOICES, { optional: true })
  events?: EventChoice;
}

export class ReplayWebhookDto {
  @Time({
    optional: true,
    description: 'Begin with the first event that is not older than this time.',
    example: '2026-01-31T12:00:00Z',
  })
  since?: string;

  @Int({
    optional: true,
    min: 1,
    max: 2_147_483_647,
    description: "Begin with this entry of the task's log (`A2A-Hub-Sequence`).",
    example: 3,
  })
  sequence?: number;
}

/** Throws INVALID_PARAMS unless exactly one of both is given. */
export function replayStartOf({ since, sequence }: ReplayWebhookDto): ReplayStart {
  if (since !== undefined && sequence !== undefined) {
    throw invalidField('sequence', 'and since cannot both be given');
  }
  if (sequence !== undefined) return { sequence };
  if (since === undefined) throw invalidField('since', 'must be given, or sequence');
  return { since: new Date(since) };
}
