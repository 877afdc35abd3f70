import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  ValidateNested,
} from 'class-validator';
import { Choice, Int, Json, Nested, Num, Text } from '../common/http/fields.js';
import { MAX_NAME_LENGTH, MAX_NAMED } from '../protocol/request-limits.js';
import {
  DIRECTIVE_LIMITS,
  type TagMatch,
  MATCHES,
  REQUIRE_POLICIES,
  type RequirePolicy,
  type RoutingTarget,
} from '../protocol/routing-extension.js';
import { STRATEGIES, type Strategy } from '../protocol/strategies.js';
import { RULE_LIMITS } from './rules/domain/rule.js';
import { DryRunCallerDto } from './rules/rule-dry-run.dto.js';
import { CreateRuleDto } from './rules/rule-requests.dto.js';
import { WrittenRuleDto } from './rules/rule.dto.js';

/** Tags, or one text of them separated by commas; as in metadata. */
const TAGS = {
  oneOf: [
    { type: 'array', items: { type: 'string' } },
    { type: 'string', description: 'Separated by commas.' },
  ],
};

/** Tags as metadata may name them: a list, or a text with commas. */
const Tags = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional(TAGS),
    Transform(({ value }: { value: unknown }) => listOfTags(value)),
    IsOptional(),
    IsArray(),
    ArrayNotEmpty(),
    ArrayMaxSize(DIRECTIVE_LIMITS.tags),
    IsString({ each: true }),
    IsNotEmpty({ each: true }),
  );

function listOfTags(value: unknown): unknown {
  return typeof value === 'string' ? value.split(',').map((tag) => tag.trim()) : value;
}

/** Who is asked by a step, or as the synthesizer: at least one of agentId, skillId and tags. */
export class RoutingTargetDto implements RoutingTarget {
  @Text({ optional: 'or-null', min: 1, max: DIRECTIVE_LIMITS.textLength })
  agentId?: string;

  @Text({ optional: 'or-null', min: 1, max: DIRECTIVE_LIMITS.textLength })
  skillId?: string;

  @Tags()
  tags?: string[];

  @Choice(MATCHES, { optional: 'or-null', default: 'all' })
  match?: TagMatch;
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
  @Json({
    optional: 'or-null',
    description: 'An A2A message (1.0 JSON); its parts and metadata are evaluated as in a send.',
  })
  message?: Record<string, unknown> | null;

  @Json({ optional: 'or-null', description: 'The metadata of the send request.' })
  metadata?: Record<string, unknown>;

  @Text({
    optional: 'or-null',
    max: MAX_NAME_LENGTH,
    list: { max: MAX_NAMED },
    description: 'Media types the client accepts.',
  })
  acceptedOutputModes?: string[];

  @Text({
    optional: 'or-null',
    max: MAX_NAME_LENGTH,
    list: { max: 64 },
    description: 'Requested extension URIs, as in the header `A2A-Extensions`.',
  })
  extensions?: string[];

  @Text({
    optional: 'or-null',
    min: 1,
    max: DIRECTIVE_LIMITS.textLength,
    description: 'The agent that the request URL would name.',
  })
  tenant?: string | null;

  @Text({
    optional: 'or-null',
    max: DIRECTIVE_LIMITS.textLength,
    list: { max: DIRECTIVE_LIMITS.maxAgents, unique: true },
    description: 'The agents that handled the last message of the context, in order.',
  })
  affinity?: string[];

  @Text({
    optional: 'or-null',
    min: 1,
    max: DIRECTIVE_LIMITS.textLength,
    description: "An agent's id.",
  })
  agentId?: string;

  @Text({
    optional: 'or-null',
    min: 1,
    max: DIRECTIVE_LIMITS.textLength,
    description: "`agentId.skillId` of the hub's card, or a skill id that agents share.",
  })
  skillId?: string;

  @Tags()
  tags?: string[];

  @Choice(MATCHES, { optional: 'or-null', default: 'all' })
  match?: TagMatch;

  @Choice(STRATEGIES, { optional: 'or-null', default: 'one' })
  strategy?: Strategy;

  @Choice(REQUIRE_POLICIES, { optional: 'or-null', default: 'all' })
  require?: RequirePolicy;

  @Num({ optional: 'or-null', max: DIRECTIVE_LIMITS.deadlineSeconds, isPositive: true })
  deadlineSeconds?: number;

  @Int({ optional: 'or-null', min: 1, max: DIRECTIVE_LIMITS.maxAgents })
  maxAgents?: number;

  @Int({
    optional: 'or-null',
    min: 1,
    max: DIRECTIVE_LIMITS.maxAgents,
    description: 'For `require: quorum`: how many must complete.',
  })
  quorum?: number;

  @Int({ optional: 'or-null', min: 1, max: DIRECTIVE_LIMITS.maxCalls })
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

  @Nested(() => WrittenRuleDto, {
    optional: true,
    list: { max: RULE_LIMITS.rules },
    description: 'Unsaved rules to use instead of all saved ones (scope `routing`).',
  })
  rules?: WrittenRuleDto[];

  @Nested(() => CreateRuleDto, {
    optional: true,
    description:
      'One unsaved rule to use in addition to the saved ones, or instead of the one with its id (scope `routing`).',
  })
  rule?: CreateRuleDto;

  @Nested(() => DryRunCallerDto, {
    optional: true,
    description: 'The caller to assume; default: the actual caller (scope `routing`).',
  })
  caller?: DryRunCallerDto;
}
