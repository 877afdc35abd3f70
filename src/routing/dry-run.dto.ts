import { ApiExtraModels, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { IfGiven } from '../common/http/fields.js';
import {
  DIRECTIVE_LIMITS,
  MATCHES,
  REQUIRE_POLICIES,
  type RequirePolicy,
  type RoutingTarget,
} from '../protocol/routing-extension.js';
import { STRATEGIES, type Strategy } from '../protocol/strategies.js';
import { RULE_LIMITS } from './rules/domain/rule.js';
import { CreateRuleDto } from './rules/rule-requests.dto.js';
import { DryRunCallerDto } from './rules/rule-dry-run.dto.js';
import { WrittenRuleDto } from './rules/rule.dto.js';

/** Tags, or one text of them separated by commas; as in metadata. */
const TAGS = {
  oneOf: [
    { type: 'array', items: { type: 'string' } },
    { type: 'string', description: 'Separated by commas.' },
  ],
};

const ReadTags = () => Transform(({ value }: { value: unknown }) => listOfTags(value));

function listOfTags(value: unknown): unknown {
  return typeof value === 'string' ? value.split(',').map((tag) => tag.trim()) : value;
}

/** Who is asked by a step, or as the synthesizer: at least one of agentId, skillId and tags. */
export class RoutingTargetDto implements RoutingTarget {
  @ApiPropertyOptional({ type: String })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(DIRECTIVE_LIMITS.textLength)
  agentId?: string;

  @ApiPropertyOptional({ type: String })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(DIRECTIVE_LIMITS.textLength)
  skillId?: string;

  @ApiPropertyOptional(TAGS)
  @ReadTags()
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(DIRECTIVE_LIMITS.tags)
  @IsString({ each: true })
  @IsNotEmpty({ each: true })
  tags?: string[];

  @ApiPropertyOptional({ enum: MATCHES, default: 'all' })
  @IsOptional()
  @IsIn(MATCHES)
  match?: 'all' | 'any';
}

/** A target as metadata may say it too: a bare text is the id of a skill. */
const TARGET = {
  oneOf: [
    { $ref: getSchemaPath(RoutingTargetDto) },
    { type: 'string', description: 'The `skillId` of a target.' },
  ],
};

function targetOf(value: unknown): unknown {
  return typeof value === 'string'
    ? Object.assign(new RoutingTargetDto(), { skillId: value })
    : value;
}

/** A message to be routed without sending it: what a send would carry, or the routing options alone. */
@ApiExtraModels(RoutingTargetDto)
export class DryRunDto {
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'An A2A message (1.0 JSON); its parts and metadata are evaluated as in a send.',
  })
  @IsOptional()
  @IsObject()
  message?: Record<string, unknown> | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'The metadata of the send request.',
  })
  @IsOptional()
  @IsObject()
  metadata?: Record<string, unknown>;

  @ApiPropertyOptional({ type: [String], description: 'Media types the client accepts.' })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  acceptedOutputModes?: string[];

  @ApiPropertyOptional({
    type: [String],
    description: 'Requested extension URIs, as in the header `A2A-Extensions`.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(64)
  @IsString({ each: true })
  extensions?: string[];

  @ApiPropertyOptional({ type: String, description: 'The agent that the request URL would name.' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  tenant?: string;

  @ApiPropertyOptional({
    type: [String],
    description: 'The agents that handled the last message of the context, in order.',
  })
  @IsOptional()
  @IsArray()
  @ArrayUnique()
  @IsString({ each: true })
  affinity?: string[];

  @ApiPropertyOptional({ type: String, description: "An agent's id." })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(DIRECTIVE_LIMITS.textLength)
  agentId?: string;

  @ApiPropertyOptional({
    type: String,
    description: "`agentId.skillId` of the hub's card, or a skill id that agents share.",
  })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(DIRECTIVE_LIMITS.textLength)
  skillId?: string;

  @ApiPropertyOptional(TAGS)
  @ReadTags()
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(DIRECTIVE_LIMITS.tags)
  @IsString({ each: true })
  @IsNotEmpty({ each: true })
  tags?: string[];

  @ApiPropertyOptional({ enum: MATCHES, default: 'all' })
  @IsOptional()
  @IsIn(MATCHES)
  match?: 'all' | 'any';

  @ApiPropertyOptional({ enum: STRATEGIES, default: 'one' })
  @IsOptional()
  @IsIn(STRATEGIES)
  strategy?: Strategy;

  @ApiPropertyOptional({ enum: REQUIRE_POLICIES, default: 'all' })
  @IsOptional()
  @IsIn(REQUIRE_POLICIES)
  require?: RequirePolicy;

  @ApiPropertyOptional({ type: Number, maximum: DIRECTIVE_LIMITS.deadlineSeconds })
  @IsOptional()
  @IsNumber()
  @IsPositive()
  @Max(DIRECTIVE_LIMITS.deadlineSeconds)
  deadlineSeconds?: number;

  @ApiPropertyOptional({ type: Number, minimum: 1, maximum: DIRECTIVE_LIMITS.maxAgents })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(DIRECTIVE_LIMITS.maxAgents)
  maxAgents?: number;

  @ApiPropertyOptional({
    type: Number,
    minimum: 1,
    maximum: DIRECTIVE_LIMITS.maxAgents,
    description: 'For `require: quorum`: how many must complete.',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(DIRECTIVE_LIMITS.maxAgents)
  quorum?: number;

  @ApiPropertyOptional({ type: Number, minimum: 1, maximum: DIRECTIVE_LIMITS.maxCalls })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(DIRECTIVE_LIMITS.maxCalls)
  maxCalls?: number;

  @ApiPropertyOptional({
    type: 'array',
    items: TARGET,
    description: 'For `chain`: the targets, in this order.',
  })
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(DIRECTIVE_LIMITS.steps)
  @ValidateNested({ each: true })
  @Type(() => RoutingTargetDto)
  @Transform(({ value }: { value: unknown }) =>
    Array.isArray(value) ? value.map(targetOf) : value,
  )
  steps?: RoutingTargetDto[];

  @ApiPropertyOptional({
    ...TARGET,
    description: 'For `synthesize`: the target that makes the result.',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => RoutingTargetDto)
  @Transform(({ value }: { value: unknown }) => targetOf(value))
  synthesizer?: RoutingTargetDto;

  @ApiPropertyOptional({
    type: [WrittenRuleDto],
    description: 'Unsaved rules to use instead of all saved ones (scope `agents`).',
  })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(RULE_LIMITS.rules)
  @ValidateNested({ each: true })
  @Type(() => WrittenRuleDto)
  rules?: WrittenRuleDto[];

  @ApiPropertyOptional({
    type: CreateRuleDto,
    description:
      'One unsaved rule to use in addition to the saved ones, or instead of the one with its id (scope `agents`).',
  })
  @IfGiven()
  @IsObject()
  @ValidateNested()
  @Type(() => CreateRuleDto)
  rule?: CreateRuleDto;

  @ApiPropertyOptional({
    type: DryRunCallerDto,
    description: 'The caller to assume; default: the actual caller (scope `agents`).',
  })
  @IfGiven()
  @IsObject()
  @ValidateNested()
  @Type(() => DryRunCallerDto)
  caller?: DryRunCallerDto;
}
