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
import { TAG, TAG_RULE } from '../common/http/fields.js';
import type { AgentEndpoint } from './agent.js';
import {
  AreOrganizations,
  BINDINGS,
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
    'Public keys, one of which has to have signed the card: a JWK Set, or `{jwksUrl}`. Null: the keys of its origin count again. The card stays in use whatever they say, of one that verifies only what is signed; see `signature`.',
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

  @IsOwnLimit(MAX_QUEUE, 'Delegations that may wait for it. Null: agents.maxQueue.')
  maxQueue?: number | null;

  @ApiPropertyOptional({ type: Boolean })
  @ValidateIf((_, value) => value !== undefined)
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      "Null: the card's URL again. At another origin the stored credentials are dropped; give them again.",
  })
  @IfPresent()
  @IsUrl(ENDPOINT_RULE, ENDPOINT_TEXT)
  @MaxLength(MAX_URL)
  endpointOverride?: string | null;

  @ApiPropertyOptional({ enum: BINDINGS, nullable: true, description: "Null: the hub's choice." })
  @IfPresent()
  @IsIn(BINDINGS)
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
    description: 'Each is set, or taken back by null; the others stay. Null: none is set.',
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
      'Each header is set, or removed by null; the others stay. All are then for the servers of the card in use, or of the override.',
  })
  @IfPresent()
  @IsObject()
  credentials?: Record<string, unknown> | null;

  @ApiPropertyOptional({ ...HEADERS, nullable: true, description: 'As `credentials`.' })
  @IfPresent()
  @IsObject()
  cardHeaders?: Record<string, unknown> | null;
}
