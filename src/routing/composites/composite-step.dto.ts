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
  IsPositive,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import {
  DIRECTIVE_LIMITS,
  MATCHES,
  REQUIRE_POLICIES,
  type RequirePolicy,
} from '../../protocol/routing-extension.js';
import { ID_RULE, IfGiven, TAG, TAG_RULE } from '../../common/http/fields.js';
import { ID } from '../../common/id-pattern.js';
import { STEP_OUTCOMES, type StepOutcome } from '../domain/plan.js';
import {
  STEP_STRATEGIES,
  STEP_STRATEGY_TEXT,
  type StepStrategy,
} from '../domain/strategy/step-policies.js';
import { COMPOSITE_LIMITS, type WrittenCondition, type WrittenStep } from './domain/composite.js';

/** The ids of composite skills, and the names of their steps. */
export const PATTERN = { type: String, pattern: ID.source } as const;

export class StepConditionDto implements WrittenCondition {
  @ApiProperty({ ...PATTERN, description: 'The name of a step.' })
  @Matches(ID, ID_RULE)
  step!: string;

  @ApiPropertyOptional({
    enum: STEP_OUTCOMES,
    default: 'completed',
    description: 'How it must have ended; `ended`: either way. A skipped step has not ended.',
  })
  @IfGiven()
  @IsIn(STEP_OUTCOMES)
  outcome?: StepOutcome;
}

export class CompositeStepDto implements WrittenStep {
  @ApiProperty({ ...PATTERN, description: 'Unique here; not `message`.' })
  @Matches(ID, ID_RULE)
  name!: string;

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

  @ApiPropertyOptional({
    enum: STEP_STRATEGIES,
    default: 'one',
    description: STEP_STRATEGY_TEXT,
  })
  @IfGiven()
  @IsIn(STEP_STRATEGIES)
  strategy?: StepStrategy;

  @ApiPropertyOptional({
    enum: REQUIRE_POLICIES,
    default: 'all',
    description: 'For `all`: how many agents must complete.',
  })
  @IfGiven()
  @IsIn(REQUIRE_POLICIES)
  require?: RequirePolicy;

  @ApiPropertyOptional({ type: Number, minimum: 1, description: 'For `require: quorum`.' })
  @IfGiven()
  @IsInt()
  @Min(1)
  @Max(COMPOSITE_LIMITS.delegations)
  quorum?: number;

  @ApiPropertyOptional({
    type: Number,
    minimum: 1,
    maximum: COMPOSITE_LIMITS.delegations,
    default: COMPOSITE_LIMITS.maxAgents,
    description: 'For `all` and `first`.',
  })
  @IfGiven()
  @IsInt()
  @Min(1)
  @Max(COMPOSITE_LIMITS.delegations)
  maxAgents?: number;

  @ApiPropertyOptional({
    type: [String],
    description:
      '`message` and names of steps, in the order the agent gets them. Default: the previous step, then `message`; for the first step `message`.',
  })
  @IfGiven()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(COMPOSITE_LIMITS.steps + 1)
  @IsString({ each: true })
  @MaxLength(DIRECTIVE_LIMITS.textLength, { each: true })
  inputs?: string[];

  @ApiPropertyOptional({
    type: [StepConditionDto],
    description: 'All conditions must hold. Default: every step that `inputs` names has completed.',
  })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(COMPOSITE_LIMITS.steps)
  @ValidateNested({ each: true })
  @Type(() => StepConditionDto)
  after?: StepConditionDto[];

  @ApiPropertyOptional({
    type: Number,
    maximum: DIRECTIVE_LIMITS.deadlineSeconds,
    description: 'The time from its beginning after which its open delegations are canceled.',
  })
  @IfGiven()
  @IsNumber()
  @IsPositive()
  @Max(DIRECTIVE_LIMITS.deadlineSeconds)
  deadlineSeconds?: number;

  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description: 'The task may complete without it.',
  })
  @IfGiven()
  @IsBoolean()
  optional?: boolean;

  @ApiPropertyOptional({
    type: Boolean,
    description: 'Its artifacts are the result. Default: true when no other step uses them.',
  })
  @IfGiven()
  @IsBoolean()
  result?: boolean;
}
