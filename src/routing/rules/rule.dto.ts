import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsObject,
  IsPositive,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  Validate,
  ValidateNested,
} from 'class-validator';
import { SCOPES, type Scope } from '../../common/scope.js';
import {
  ID_RULE,
  IfGiven,
  NAME,
  NAME_RULE,
  NAMES_RULE,
  SENTENCE,
  SENTENCE_RULE,
  TAG,
  TAG_RULE,
} from '../../common/http/fields.js';
import { ID } from '../../common/id-pattern.js';
import {
  DIRECTIVE_LIMITS,
  MATCHES,
  REQUIRE_POLICIES,
  type RequirePolicy,
} from '../../protocol/routing-extension.js';
import {
  type MetadataValue,
  RULE_LIMITS,
  type RuleAction,
  type RuleConditions,
  type TextCondition,
} from './domain/rule.js';
import { STEP_STRATEGIES, type StepStrategy } from '../domain/strategy/step-policies.js';
import { MetadataConstraint } from './metadata-constraint.js';

const MEDIA_RANGE = /^(\*\/\*|[\w!#$&^.+-]{1,100}\/(\*|[\w!#$&^.+-]{1,100}))$/;
const MEDIA_RANGE_RULE = {
  each: true,
  message: 'each must be a media type such as image/png, or a range such as image/*',
};
const METADATA_VALUE = { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] };

export class TextConditionDto implements TextCondition {
  @ApiProperty({
    type: String,
    maxLength: RULE_LIMITS.pattern,
    description: 'A regular expression in RE2 syntax; it may match anywhere in the text.',
    example: '\\b(invoice|refund)s?\\b',
  })
  @IsString()
  @IsNotEmpty()
  @MaxLength(RULE_LIMITS.pattern)
  pattern!: string;

  @ApiPropertyOptional({ type: Boolean, default: false })
  @IfGiven()
  @IsBoolean()
  ignoreCase?: boolean;
}

export class RuleConditionsDto implements RuleConditions {
  @ApiPropertyOptional({ type: [String], description: "The caller's organization is one of them." })
  @IfGiven()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(RULE_LIMITS.entries)
  @Matches(NAME, NAMES_RULE)
  organizations?: string[];

  @ApiPropertyOptional({
    enum: SCOPES,
    isArray: true,
    description: 'The caller holds one of them; `admin` holds all.',
  })
  @IfGiven()
  @IsArray()
  @ArrayNotEmpty()
  @IsIn(SCOPES, { each: true })
  scopes?: Scope[];

  @ApiPropertyOptional({
    type: [String],
    example: ['image/*'],
    description: 'Some part of the message has one of these media types.',
  })
  @IfGiven()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(RULE_LIMITS.entries)
  @Matches(MEDIA_RANGE, MEDIA_RANGE_RULE)
  inputTypes?: string[];

  @ApiPropertyOptional({
    type: [String],
    description:
      'The client requested these tags and no skill has them, or they are under `tags` in the metadata of the message.',
  })
  @IfGiven()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(RULE_LIMITS.entries)
  @Matches(TAG, TAG_RULE)
  tags?: string[];

  @ApiPropertyOptional({
    enum: MATCHES,
    default: 'any',
    description: 'Whether all `tags` or any of them must match.',
  })
  @IfGiven()
  @IsIn(MATCHES)
  tagMatch?: 'all' | 'any';

  @ApiPropertyOptional({ type: TextConditionDto, description: 'The text parts match.' })
  @IfGiven()
  @IsObject()
  @ValidateNested()
  @Type(() => TextConditionDto)
  text?: TextConditionDto;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: {
      oneOf: [...METADATA_VALUE.oneOf, { type: 'array', items: METADATA_VALUE }],
    },
    example: { channel: 'web', 'customer.tier': ['gold', 'platinum'] },
    description: 'Members of the metadata by their path: a value, or a list of accepted values.',
  })
  @IfGiven()
  @Validate(MetadataConstraint)
  metadata?: Record<string, MetadataValue | MetadataValue[]>;
}

export class RuleTargetDto implements RuleAction {
  @ApiPropertyOptional({ type: String, description: "An agent's id." })
  @IfGiven()
  @Matches(ID, ID_RULE)
  agentId?: string;

  @ApiPropertyOptional({
    type: String,
    description: "`agentId.skillId` of the hub's card, or a skill id that agents share.",
  })
  @IfGiven()
  @IsString()
  @IsNotEmpty()
  @MaxLength(DIRECTIVE_LIMITS.textLength)
  skillId?: string;

  @ApiPropertyOptional({ type: [String], description: 'Agents with a skill that has these tags.' })
  @IfGiven()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(DIRECTIVE_LIMITS.tags)
  @Matches(TAG, TAG_RULE)
  tags?: string[];

  @ApiPropertyOptional({
    enum: MATCHES,
    default: 'all',
    description: 'Whether all `tags` or any of them must match.',
  })
  @IfGiven()
  @IsIn(MATCHES)
  match?: 'all' | 'any';

  @ApiPropertyOptional({ type: String, description: "A composite skill's id." })
  @IfGiven()
  @Matches(ID, ID_RULE)
  composite?: string;

  @ApiPropertyOptional({
    type: String,
    maxLength: RULE_LIMITS.reject,
    description: 'The message is refused (NO_ROUTE) with this text.',
  })
  @IfGiven()
  @Matches(SENTENCE, SENTENCE_RULE)
  reject?: string;

  @ApiPropertyOptional({
    enum: STEP_STRATEGIES,
    default: 'one',
    description: 'This and the members below apply where the client sets no such option itself.',
  })
  @IfGiven()
  @IsIn(STEP_STRATEGIES)
  strategy?: StepStrategy;

  @ApiPropertyOptional({ enum: REQUIRE_POLICIES, default: 'all', description: 'For `all`.' })
  @IfGiven()
  @IsIn(REQUIRE_POLICIES)
  require?: RequirePolicy;

  @ApiPropertyOptional({ type: Number, minimum: 1, description: 'For `require: quorum`.' })
  @IfGiven()
  @IsInt()
  @Min(1)
  @Max(DIRECTIVE_LIMITS.maxAgents)
  quorum?: number;

  @ApiPropertyOptional({ type: Number, minimum: 1, maximum: DIRECTIVE_LIMITS.maxAgents })
  @IfGiven()
  @IsInt()
  @Min(1)
  @Max(DIRECTIVE_LIMITS.maxAgents)
  maxAgents?: number;

  @ApiPropertyOptional({ type: Number, maximum: DIRECTIVE_LIMITS.deadlineSeconds })
  @IfGiven()
  @IsNumber()
  @IsPositive()
  @Max(DIRECTIVE_LIMITS.deadlineSeconds)
  deadlineSeconds?: number;

  @ApiPropertyOptional({ type: Number, minimum: 1, maximum: DIRECTIVE_LIMITS.maxCalls })
  @IfGiven()
  @IsInt()
  @Min(1)
  @Max(DIRECTIVE_LIMITS.maxCalls)
  maxCalls?: number;
}

/** A rule as it is declared in YAML, where its place is that in the list. */
export class WrittenRuleDto {
  @ApiPropertyOptional({
    type: String,
    pattern: ID.source,
    description: 'Default: derived from its name.',
  })
  @IfGiven()
  @Matches(ID, ID_RULE)
  id?: string;

  @ApiProperty({ type: String, example: 'Invoices' })
  @Matches(NAME, NAME_RULE)
  name!: string;

  @ApiPropertyOptional({ type: Boolean, default: true })
  @IfGiven()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    type: RuleConditionsDto,
    description: 'All given conditions must hold; without any the rule applies to every message.',
  })
  @IfGiven()
  @IsObject()
  @ValidateNested()
  @Type(() => RuleConditionsDto)
  conditions?: RuleConditionsDto;

  @ApiProperty({
    type: RuleTargetDto,
    description: 'Exactly one of `agentId`, `skillId`, `tags`, `composite` and `reject`.',
  })
  @IsObject()
  @ValidateNested()
  @Type(() => RuleTargetDto)
  target!: RuleTargetDto;
}
