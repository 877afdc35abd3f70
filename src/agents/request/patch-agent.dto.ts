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
  IsUrl,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { TAG, TAG_RULE } from '../../common/http/fields.js';
import type { AgentEndpoint } from '../agent.js';
import {
  AreOrganizations,
  ENDPOINT_RULE,
  ENDPOINT_TEXT,
  HEADERS,
  IfPresent,
  IsCardKeys,
  IsOwnLimit,
  MAX_CONCURRENT,
  MAX_PRIORITY,
  MAX_QUEUE,
  MAX_URL,
  MAX_WEIGHT,
  VERSIONS,
} from './agent-fields.js';
import { BudgetsDto } from './budgets.dto.js';
import { SwitchesDto } from './switches.dto.js';

export class PatchAgentDto {
  @IsCardKeys(
    'Public keys, one of which has to have signed the card: a JWK Set, or `{jwksUrl}`. Null: the keys of its origin are trusted again. The card stays in use whatever the result; of a card that verifies, only its signed part is used; see `signature`.',
  )
  cardKeys?: Record<string, unknown> | null;

  @AreOrganizations('The organizations that may use the agent. Null: everybody.')
  organizations?: string[] | null;

  @ApiPropertyOptional({ type: [String] })
  @ValidateIf((_, value) => value !== undefined)
  @IsArray()
  @ArrayMaxSize(100)
  @Matches(TAG, TAG_RULE)
  tags?: string[];

  @ApiPropertyOptional({ type: Number })
  @ValidateIf((_, value) => value !== undefined)
  @IsInt()
  @Min(-MAX_PRIORITY)
  @Max(MAX_PRIORITY)
  priority?: number;

  @ApiPropertyOptional({
    type: Number,
    minimum: 1,
    maximum: MAX_WEIGHT,
    description: 'Its share of the work among equals.',
  })
  @ValidateIf((_, value) => value !== undefined)
  @IsInt()
  @Min(1)
  @Max(MAX_WEIGHT)
  weight?: number;

  @IsOwnLimit(MAX_CONCURRENT, 'Delegations at once from one process. Null: tasks.maxPerAgent.')
  maxConcurrent?: number | null;

  @IsOwnLimit(MAX_QUEUE, 'Delegations that may be queued for it. Null: agents.maxQueue.')
  maxQueue?: number | null;

  @ApiPropertyOptional({ type: Boolean })
  @ValidateIf((_, value) => value !== undefined)
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      'Null: the URL of the card again. If the origin changes, the stored credentials are dropped and must be set again.',
  })
  @IfPresent()
  @IsUrl(ENDPOINT_RULE, ENDPOINT_TEXT)
  @MaxLength(MAX_URL)
  endpointOverride?: string | null;

  @ApiPropertyOptional({
    enum: BINDING_NAMES,
    nullable: true,
    description: "Null: the hub's choice.",
  })
  @IfPresent()
  @IsIn(BINDING_NAMES)
  protocolBinding?: AgentEndpoint['protocolBinding'] | null;

  @ApiPropertyOptional({ enum: VERSIONS, nullable: true, description: "Null: the hub's choice." })
  @IfPresent()
  @IsIn(VERSIONS)
  protocolVersion?: AgentEndpoint['protocolVersion'] | null;

  @ApiPropertyOptional({
    type: BudgetsDto,
    nullable: true,
    description: 'Null: the defaults again.',
  })
  @IfPresent()
  @IsObject()
  @ValidateNested()
  @Type(() => BudgetsDto)
  budgets?: BudgetsDto | null;

  @ApiPropertyOptional({
    type: SwitchesDto,
    nullable: true,
    description: 'Each switch is set, or reset by null; the others stay. Null: all are reset.',
  })
  @IfPresent()
  @IsObject()
  @ValidateNested()
  @Type(() => SwitchesDto)
  switches?: SwitchesDto | null;

  @ApiPropertyOptional({
    ...HEADERS,
    nullable: true,
    description:
      'Each header is set, or removed by null; the others stay. All of them then belong to the origins of the present card, or of the override.',
  })
  @IfPresent()
  @IsObject()
  credentials?: Record<string, unknown> | null;

  @ApiPropertyOptional({ ...HEADERS, nullable: true, description: 'As `credentials`.' })
  @IfPresent()
  @IsObject()
  cardHeaders?: Record<string, unknown> | null;
}
