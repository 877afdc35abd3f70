import { Choice, Flag, Int, Json, Nested, Text, Url } from '../../common/http/fields.js';
import { ID, TAG } from '../../common/http/text-forms.js';
import { PROTOCOL_VERSIONS } from '../../protocol/protocol-version.js';
import type { AgentEndpoint } from '../agent.js';
import { BINDING_NAMES } from '../binding/bindings.js';
import {
  CALL_SCHEMES,
  CARD_KEYS,
  CARD_SCHEMES,
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

export class RegisterAgentDto {
  @Text({ optional: 'or-null', like: ID, description: "Default: derived from the card's name." })
  id?: string | null;

  @Url({
    optional: 'or-null',
    schemes: CARD_SCHEMES,
    max: MAX_URL,
    description: 'The URL of the agent or of its card; this or `card`.',
    example: 'https://agent.example',
  })
  cardUrl?: string;

  @Json({ optional: 'or-null', description: 'The card itself, of protocol 0.2.5, 0.3 or 1.0.' })
  card?: Record<string, unknown>;

  @Json({ ...HEADERS, optional: 'or-null', description: 'Sent when the card is read.' })
  cardHeaders?: Record<string, unknown>;

  @Json({ ...HEADERS, optional: 'or-null', description: 'Sent with every call to the agent.' })
  credentials?: Record<string, unknown>;

  @Nested(() => AuthenticationDto, {
    optional: 'or-null',
    description:
      'How the hub gets an access token for its calls, which goes where `credentials` go.',
  })
  authentication?: AuthenticationDto | null;

  @Url({
    optional: 'or-null',
    schemes: CALL_SCHEMES,
    max: MAX_URL,
    description:
      'Called instead of the URL in the card. For gRPC, `grpcs://` and `https://` mean TLS, `grpc://` and `http://` plain text.',
    example: 'https://agent.example/a2a',
  })
  endpointOverride?: string;

  @Choice(BINDING_NAMES, {
    optional: 'or-null',
    description: "Only interfaces of this binding are called. Default: the hub's choice.",
  })
  protocolBinding?: AgentEndpoint['protocolBinding'];

  @Choice(PROTOCOL_VERSIONS, {
    optional: 'or-null',
    description: "Only interfaces of this version are called. Default: the hub's choice.",
  })
  protocolVersion?: AgentEndpoint['protocolVersion'];

  @Text({ optional: 'or-null', list: { max: 100 }, like: TAG, description: "The operator's tags." })
  tags?: string[];

  @Int({
    optional: 'or-null',
    min: -MAX_PRIORITY,
    max: MAX_PRIORITY,
    default: 0,
    description: 'Higher is tried first.',
  })
  priority?: number;

  @Int({
    optional: 'or-null',
    min: 1,
    max: MAX_WEIGHT,
    default: 1,
    description: 'Its share of the work among equals.',
  })
  weight?: number | null;

  @Int(OWN_CONCURRENT)
  maxConcurrent?: number | null;

  @Int(OWN_QUEUE)
  maxQueue?: number | null;

  @Flag({ optional: 'or-null', default: true, description: 'False: it gets no new work.' })
  enabled?: boolean;

  @Json({
    ...CARD_KEYS,
    description:
      'Public keys, one of which must have signed the card: a JWK Set, or `{jwksUrl}`. Default: the keys of its origin are trusted.',
  })
  cardKeys?: Record<string, unknown> | null;

  @Text({
    ...ORGANIZATIONS,
    description: 'The organizations that may use the agent. Default: everybody.',
  })
  organizations?: string[] | null;

  @Nested(() => BudgetsDto, { optional: 'or-null' })
  budgets?: BudgetsDto;

  @Nested(() => SwitchesDto, {
    optional: 'or-null',
    description: 'Overrides of how it is called, where its card or its server is wrong.',
  })
  switches?: SwitchesDto;

  @Flag({
    optional: 'or-null',
    default: false,
    description:
      'True: one message is sent to the agent to find out how it behaves; the answer has a report. A failed probe does not prevent registration.',
  })
  probe?: boolean | null;

  @Text({ optional: 'or-null', min: 1, max: 2000, description: 'The text of the probe message.' })
  probeText?: string | null;

  @Int({
    optional: 'or-null',
    min: 100,
    max: 120_000,
    default: 30_000,
    description: 'How long the hub waits for the outcome of the probe.',
  })
  probeTimeoutMs?: number | null;
}
