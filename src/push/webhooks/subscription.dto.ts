import { Choice, Flag, Nested, Text } from '../../common/http/fields.js';
import { ID, NAME, TAG } from '../../common/http/text-forms.js';
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../protocol/protocol-version.js';
import { STATES_BY_NAME } from '../delivery/domain/state-names.js';
import { WEBHOOK_LIMITS } from '../registration/webhook-registration.js';
import {
  EVENT_CHOICES,
  type EventChoice,
  SUBSCRIPTION_SCOPES,
  type SubscriptionScope,
} from '../registration/webhook.js';
import { WebhookSecretsDto } from './webhook-secrets.dto.js';

/** Entries of each list of a filter. */
const MAX_ENTRIES = 100;
const STATES = [...STATES_BY_NAME.keys()];

export class SubscriptionFilterDto {
  @Text({
    optional: true,
    list: { min: 1, max: MAX_ENTRIES },
    like: ID,
    description: 'Agent ids: tasks that one of these agents works on.',
    example: ['billing'],
  })
  agents?: string[];

  @Text({
    optional: true,
    list: { min: 1, max: MAX_ENTRIES },
    like: TAG,
    description: 'Tags: tasks whose skill, or whose agent, has one of these.',
    example: ['invoices'],
  })
  tags?: string[];

  @Choice(STATES, {
    optional: true,
    list: { min: 1 },
    description: 'Only changes into these states are delivered; artifacts are omitted.',
    example: ['completed', 'failed'],
  })
  states?: string[];
}

/** What may be changed at any time. */
class ChangeableDto extends WebhookSecretsDto {
  @Text({ optional: true, nullable: true, like: NAME, example: 'Ledger' })
  name?: string | null;

  @Choice(EVENT_CHOICES, {
    optional: true,
    description:
      '`changes`: changes of state and whole artifacts; so it is with a new one that says nothing. `all`: every event.',
  })
  events?: EventChoice;

  @Nested(() => SubscriptionFilterDto, {
    optional: true,
    nullable: true,
    description: 'Which tasks match; all given members must match. Null: all tasks.',
  })
  filter?: SubscriptionFilterDto | null;
}

/** A subscription as it is written, in a request and in the file. */
export class WrittenSubscriptionDto extends ChangeableDto {
  @Text({ min: 1, max: WEBHOOK_LIMITS.url, example: 'https://ledger.example.com/a2a' })
  url!: string;

  @Choice(PROTOCOL_VERSIONS, {
    optional: true,
    default: '1.0',
    description: 'The A2A version of the request bodies; it cannot be changed later.',
  })
  version?: ProtocolVersion;
}

export class CreateSubscriptionDto extends WrittenSubscriptionDto {
  @Choice(SUBSCRIPTION_SCOPES, {
    optional: true,
    description:
      'Whose tasks: the caller’s `own`, or those of its `organization` (requires `tasks:organization`). ' +
      'Default: all tasks that the key may see.',
  })
  scope?: SubscriptionScope;

  @Text({
    optional: true,
    like: NAME,
    description: 'For operators (`admin`): an organization other than the caller’s.',
    example: 'acme',
  })
  organization?: string;
}

export class PatchSubscriptionDto extends ChangeableDto {
  @Text({
    optional: true,
    min: 1,
    max: WEBHOOK_LIMITS.url,
    example: 'https://ledger.example.com/a2a/v2',
  })
  url?: string;
}

/** An entry of `subscriptions` in the configuration. */
export class DeclaredSubscriptionDto extends WrittenSubscriptionDto {
  @Text({ like: ID })
  id!: string;

  @Text({ like: NAME })
  organization!: string;

  @Flag({ optional: true })
  paused?: boolean;
}
