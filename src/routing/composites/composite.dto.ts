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
  IsOptional,
  IsPositive,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import {
  DIRECTIVE_LIMITS,
  MATCHES,
  REQUIRE_POLICIES,
  type RequirePolicy,
} from '../../protocol/routing-extension.js';
import type { StepOutcome, StepStrategy } from '../domain/plan.js';
import {
  COMPOSITE_LIMITS,
  type CompositeDefinition,
  type WrittenCondition,
  type WrittenStep,
} from './domain/composite.js';

export const STEP_STRATEGIES: readonly StepStrategy[] = ['one', 'all', 'first'];
export const STEP_OUTCOMES: readonly StepOutcome[] = ['completed', 'failed', 'ended'];

const ID = /^[a-z0-9-]{1,63}$/;
const ID_RULE = { message: '$property must be 1 to 63 of a-z, 0-9 and -' };
/** No control characters, nothing a database refuses. */
const TAG = /^[^\p{Cc}\p{Cs}]{1,100}$/u;
const TAG_RULE = { each: true, message: 'each must be 1 to 100 characters, no control characters' };
const ORGANIZATION = /^[^\p{Cc}\p{Cs}]{1,200}$/u;
const ORGANIZATION_RULE = {
  each: true,
  message: 'each must be 1 to 200 characters, no control characters',
};
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+*-]{1,100}(;[ -~]{1,100})?$/;
const MEDIA_TYPE_RULE = { each: true, message: 'each must be a media type such as text/plain' };
const MAX_NAME = 200;
const MAX_TEXT = 4000;
const MAX_ENTRIES = 50;

const PATTERN = { type: String, pattern: ID.source } as const;

/** Null is not a way of saying nothing here. */
const IfGiven = () => ValidateIf((_, value) => value !== undefined);
/** Absent leaves a member as it is; null is a value of its own. */
const IfPresent = () => ValidateIf((_, value) => value !== undefined && value !== null);

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

  @ApiPropertyOptional({ type: [String], description: 'Agents of a skill that carries them.' })
  @IfGiven()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(DIRECTIVE_LIMITS.tags)
  @Matches(TAG, TAG_RULE)
  tags?: string[];

  @ApiPropertyOptional({ enum: MATCHES, default: 'all', description: 'For `tags`.' })
  @IfGiven()
  @IsIn(MATCHES)
  match?: 'all' | 'any';

  @ApiPropertyOptional({
    enum: STEP_STRATEGIES,
    default: 'one',
    description:
      '`one`: the best agent, the next takes over while none has accepted. `all`: every agent that matches. `first`: the same, and the first that completes wins.',
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
      '`message` and names of steps, in the order the agent gets them. Default: the step written before, then `message`; of the first step `message`.',
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
    description: 'All must hold. Default: every step that `inputs` names has completed.',
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
    description: 'From its beginning until what still runs of it is canceled.',
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
    description: 'Its artifacts are the result. Default: true when no other step takes them.',
  })
  @IfGiven()
  @IsBoolean()
  result?: boolean;
}

/** What a composite skill may do without. */
class CompositeOptionsDto {
  @ApiPropertyOptional({ type: [String] })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(MAX_ENTRIES)
  @Matches(TAG, TAG_RULE)
  tags?: string[];

  @ApiPropertyOptional({ type: [String], description: 'Messages it is for.' })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(MAX_ENTRIES)
  @IsString({ each: true })
  @MaxLength(MAX_TEXT, { each: true })
  examples?: string[];

  @ApiPropertyOptional({ type: [String], description: 'Media types it takes.' })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(MAX_ENTRIES)
  @Matches(MEDIA_TYPE, MEDIA_TYPE_RULE)
  inputModes?: string[];

  @ApiPropertyOptional({ type: [String], description: 'Media types it gives.' })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(MAX_ENTRIES)
  @Matches(MEDIA_TYPE, MEDIA_TYPE_RULE)
  outputModes?: string[];

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    description: 'The organizations that may use it. Null, the default: everybody.',
  })
  @IfPresent()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(1000)
  @Matches(ORGANIZATION, ORGANIZATION_RULE)
  organizations?: string[] | null;

  @ApiPropertyOptional({ type: Boolean, default: true, description: 'False: no new tasks.' })
  @IfGiven()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    maximum: DIRECTIVE_LIMITS.deadlineSeconds,
    description: 'Until what still runs of the task is canceled. Null, the default: no limit.',
  })
  @IfPresent()
  @IsNumber()
  @IsPositive()
  @Max(DIRECTIVE_LIMITS.deadlineSeconds)
  deadlineSeconds?: number | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    minimum: 1,
    maximum: DIRECTIVE_LIMITS.maxCalls,
    description: "The most messages to agents for one task. Null, the default: the setting's.",
  })
  @IfPresent()
  @IsInt()
  @Min(1)
  @Max(DIRECTIVE_LIMITS.maxCalls)
  maxCalls?: number | null;
}

/** Each member that is given replaces what there is; `steps` as a whole. */
export class PatchCompositeDto extends CompositeOptionsDto implements Partial<CompositeDefinition> {
  @ApiPropertyOptional({ type: String, maxLength: MAX_NAME })
  @IfGiven()
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_NAME)
  name?: string;

  @ApiPropertyOptional({ type: String, maxLength: MAX_TEXT })
  @IfGiven()
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_TEXT)
  description?: string;

  @ApiPropertyOptional({ type: [CompositeStepDto], maxItems: COMPOSITE_LIMITS.steps })
  @IfGiven()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(COMPOSITE_LIMITS.steps)
  @ValidateNested({ each: true })
  @Type(() => CompositeStepDto)
  steps?: CompositeStepDto[];
}

/** A composite skill to be made; also the form of one entry of `compositeSkills` in YAML. */
export class CreateCompositeDto extends CompositeOptionsDto {
  @ApiProperty({ ...PATTERN, description: "The hub's card shows it as `composite.<id>`." })
  @Matches(ID, ID_RULE)
  id!: string;

  @ApiProperty({ type: String, maxLength: MAX_NAME })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_NAME)
  name!: string;

  @ApiProperty({ type: String, maxLength: MAX_TEXT })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_TEXT)
  description!: string;

  @ApiProperty({ type: [CompositeStepDto], maxItems: COMPOSITE_LIMITS.steps })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(COMPOSITE_LIMITS.steps)
  @ValidateNested({ each: true })
  @Type(() => CompositeStepDto)
  steps!: CompositeStepDto[];
}

export class CompositeOrganizationQueryDto {
  @ApiPropertyOptional({
    type: String,
    description: "As callers of this organization see the agents. Default: the caller's own.",
  })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  organization?: string;
}
