import { BINDING_NAMES } from '../binding/bindings.js';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUrl,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { ID_RULE, TAG, TAG_RULE } from '../../common/http/fields.js';
import { ID } from '../../common/id-pattern.js';
import type { AgentEndpoint } from '../agent.js';
import {
  AreOrganizations,
  ENDPOINT_RULE,
  ENDPOINT_TEXT,
  HEADERS,
  IsCardKeys,
  IsOwnLimit,
  MAX_CONCURRENT,
  MAX_PRIORITY,
  MAX_QUEUE,
  MAX_URL,
  MAX_WEIGHT,
  URL_RULE,
  URL_TEXT,
  VERSIONS,
} from './agent-fields.js';
import { BudgetsDto } from './budgets.dto.js';
import { SwitchesDto } from './switches.dto.js';

export class RegisterAgentDto {
  @ApiPropertyOptional({
    type: String,
    pattern: ID.source,
    description: "Default: derived from the card's name.",
  })
  @IsOptional()
  @Matches(ID, ID_RULE)
  id?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'The URL of the agent or of its card; this or `card`.',
    example: 'https://agent.example',
  })
  @IsOptional()
  @IsUrl(URL_RULE, URL_TEXT)
  @MaxLength(MAX_URL)
  cardUrl?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'The card itself, of protocol 0.2.5, 0.3 or 1.0.',
  })
  @IsOptional()
  @IsObject()
  card?: Record<string, unknown>;

  @ApiPropertyOptional({ ...HEADERS, description: 'Sent when the card is read.' })
  @IsOptional()
  @IsObject()
  cardHeaders?: Record<string, unknown>;

  @ApiPropertyOptional({ ...HEADERS, description: 'Sent with every call to the agent.' })
  @IsOptional()
  @IsObject()
  credentials?: Record<string, unknown>;

  @ApiPropertyOptional({
    type: String,
    description:
      'Called instead of the URL in the card. For gRPC, `grpcs://` and `https://` mean TLS, `grpc://` and `http://` plain text.',
  })
  @IsOptional()
  @IsUrl(ENDPOINT_RULE, ENDPOINT_TEXT)
  @MaxLength(MAX_URL)
  endpointOverride?: string;

  @ApiPropertyOptional({
    enum: BINDING_NAMES,
    description: "Only interfaces of this binding are called. Default: the hub's choice.",
  })
  @IsOptional()
  @IsIn(BINDING_NAMES)
  protocolBinding?: AgentEndpoint['protocolBinding'];

  @ApiPropertyOptional({
    enum: VERSIONS,
    description: "Only interfaces of this version are called. Default: the hub's choice.",
  })
  @IsOptional()
  @IsIn(VERSIONS)
  protocolVersion?: AgentEndpoint['protocolVersion'];

  @ApiPropertyOptional({ type: [String], description: "The operator's tags." })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @Matches(TAG, TAG_RULE)
  tags?: string[];

  @ApiPropertyOptional({ type: Number, default: 0, description: 'Higher is tried first.' })
  @IsOptional()
  @IsInt()
  @Min(-MAX_PRIORITY)
  @Max(MAX_PRIORITY)
  priority?: number;

  @ApiPropertyOptional({
    type: Number,
    minimum: 1,
    maximum: MAX_WEIGHT,
    default: 1,
    description: 'Its share of the work among equals.',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_WEIGHT)
  weight?: number;

  @IsOwnLimit(MAX_CONCURRENT, 'Delegations at once from one process. Null: tasks.maxPerAgent.')
  maxConcurrent?: number | null;

  @IsOwnLimit(MAX_QUEUE, 'Delegations that may be queued for it. Null: agents.maxQueue.')
  maxQueue?: number | null;

  @ApiPropertyOptional({ type: Boolean, default: true, description: 'False: it gets no new work.' })
  @IsOptional()
  @IsBoolean()
  enabled?: boolean;

  @IsCardKeys(
    'Public keys, one of which must have signed the card: a JWK Set, or `{jwksUrl}`. Default: the keys of its origin are trusted.',
  )
  cardKeys?: Record<string, unknown> | null;

  @AreOrganizations('The organizations that may use the agent. Default: everybody.')
  organizations?: string[] | null;

  @ApiPropertyOptional({ type: BudgetsDto })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => BudgetsDto)
  budgets?: BudgetsDto;

  @ApiPropertyOptional({
    type: SwitchesDto,
    description: 'Overrides of how it is called, where its card or its server is wrong.',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => SwitchesDto)
  switches?: SwitchesDto;

  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description:
      'True: one message is sent to the agent to find out how it behaves; the answer has a report. A failed probe does not prevent registration.',
  })
  @IsOptional()
  @IsBoolean()
  probe?: boolean;

  @ApiPropertyOptional({
    type: String,
    maxLength: 2000,
    description: 'The text of the probe message.',
  })
  @IsOptional()
  @IsString()
  @Length(1, 2000)
  probeText?: string;

  @ApiPropertyOptional({
    type: Number,
    default: 30_000,
    minimum: 100,
    maximum: 120_000,
    description: 'How long the hub waits for the outcome of the probe.',
  })
  @IsOptional()
  @IsInt()
  @Min(100)
  @Max(120_000)
  probeTimeoutMs?: number;
}
