import { Choice, Flag, Int, Json, Nested, Text, Url } from '../../common/http/fields.js';
import { TAG } from '../../common/http/text-forms.js';
import { PROTOCOL_VERSIONS } from '../../protocol/protocol-version.js';
import type { AgentEndpoint } from '../agent.js';
import { BINDING_NAMES } from '../binding/bindings.js';
import {
  CALL_SCHEMES,
  CARD_KEYS,
  HEADERS,
  MAX_PRIORITY,
  MAX_URL,
  MAX_WEIGHT,
  ORGANIZATIONS,
  OWN_CONCURRENT,
  OWN_QUEUE,
} from './agent-fields.js';
import { AuthenticationDto } from './authentication.dto.js';
import { BudgetsDto } from './budgets.dto.js';
import { SwitchesDto } from './switches.dto.js';

export class PatchAgentDto {
  @Json({
    ...CARD_KEYS,
    description:
      'Public keys, one of which has to have signed the card: a JWK Set, or `{jwksUrl}`. Null: the keys of its origin are trusted again. The card stays in use whatever the result; of a card that verifies, only its signed part is used; see `signature`.',
  })
  cardKeys?: Record<string, unknown> | null;

  @Text({
    ...ORGANIZATIONS,
    description: 'The organizations that may use the agent. Null: everybody.',
  })
  organizations?: string[] | null;

  @Text({ optional: true, list: { max: 100 }, like: TAG })
  tags?: string[];

  @Int({ optional: true, min: -MAX_PRIORITY, max: MAX_PRIORITY })
  priority?: number;

  @Int({
    optional: true,
    min: 1,
    max: MAX_WEIGHT,
    description: 'Its share of the work among equals.',
  })
  weight?: number;

  @Int(OWN_CONCURRENT)
  maxConcurrent?: number | null;

  @Int(OWN_QUEUE)
  maxQueue?: number | null;

  @Flag({ optional: true })
  enabled?: boolean;

  @Url({
    optional: true,
    nullable: true,
    schemes: CALL_SCHEMES,
    max: MAX_URL,
    description:
      'Null: the URL of the card again. If the origin changes, the stored credentials are dropped and must be set again.',
    example: 'https://agent.example/a2a',
  })
  endpointOverride?: string | null;

  @Choice(BINDING_NAMES, { optional: true, nullable: true, description: "Null: the hub's choice." })
  protocolBinding?: AgentEndpoint['protocolBinding'] | null;

  @Choice(PROTOCOL_VERSIONS, {
    optional: true,
    nullable: true,
    description: "Null: the hub's choice.",
  })
  protocolVersion?: AgentEndpoint['protocolVersion'] | null;

  @Nested(() => BudgetsDto, {
    optional: true,
    nullable: true,
    description: 'Null: the defaults again.',
  })
  budgets?: BudgetsDto | null;

  @Nested(() => SwitchesDto, {
    optional: true,
    nullable: true,
    description: 'Each switch is set, or reset by null; the others stay. Null: all are reset.',
  })
  switches?: SwitchesDto | null;

  @Json({
    ...HEADERS,
    optional: true,
    nullable: true,
    description:
      'Each header is set, or removed by null; the others stay. All of them then belong to the origins of the present card, or of the override.',
  })
  credentials?: Record<string, unknown> | null;

  @Nested(() => AuthenticationDto, {
    optional: true,
    nullable: true,
    description:
      'How the hub gets an access token for its calls, which goes where `credentials` go. It is given as a whole; null takes it away.',
  })
  authentication?: AuthenticationDto | null;

  @Json({ ...HEADERS, optional: true, nullable: true, description: 'As `credentials`.' })
  cardHeaders?: Record<string, unknown> | null;
}
