import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsBoolean,
  IsInt,
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
  ID_RULE,
  IfGiven,
  NAME,
  NAME_RULE,
  NAMES_RULE,
  TAG,
  TAG_RULE,
  TEXT,
  TEXT_RULE,
} from '../../common/http/fields.js';
import { ID } from '../../common/id-pattern.js';
import { DIRECTIVE_LIMITS } from '../../protocol/routing-extension.js';
import { CompositeStepDto, PATTERN } from './composite-step.dto.js';
import { COMPOSITE_LIMITS, type CompositeDefinition } from './domain/composite.js';

const MEDIA_TYPE = /^[\w!#$&^.+*-]{1,100}\/[\w!#$&^.+*-]{1,100}(;[ -~]{1,100})?$/;
const MEDIA_TYPE_RULE = { each: true, message: 'each must be a media type such as text/plain' };
const MAX_NAME = 200;
const MAX_TEXT = 4000;
const MAX_ENTRIES = 50;

/** Absent leaves a member as it is; null is a value of its own. */
const IfPresent = () => ValidateIf((_, value) => value !== undefined && value !== null);

/** What a composite skill may do without. */
class CompositeOptionsDto {
  @ApiPropertyOptional({ type: [String] })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(MAX_ENTRIES)
  @Matches(TAG, TAG_RULE)
  tags?: string[];

  @ApiPropertyOptional({ type: [String], description: 'Example messages.' })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(MAX_ENTRIES)
  @IsString({ each: true })
  @MaxLength(MAX_TEXT, { each: true })
  @Matches(TEXT, { ...TEXT_RULE, each: true })
  examples?: string[];

  @ApiPropertyOptional({ type: [String], description: 'Accepted media types.' })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(MAX_ENTRIES)
  @Matches(MEDIA_TYPE, MEDIA_TYPE_RULE)
  inputModes?: string[];

  @ApiPropertyOptional({ type: [String], description: 'Media types of its results.' })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(MAX_ENTRIES)
  @Matches(MEDIA_TYPE, MEDIA_TYPE_RULE)
  outputModes?: string[];

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    description: 'The organizations that may use it. Null, the default: all organizations.',
  })
  @IfPresent()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(1000)
  @Matches(NAME, NAMES_RULE)
  organizations?: string[] | null;

  @ApiPropertyOptional({
    type: Boolean,
    default: true,
    description: 'False: it gets no new tasks.',
  })
  @IfGiven()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    maximum: DIRECTIVE_LIMITS.deadlineSeconds,
    description:
      'The time after which the open delegations of the task are canceled. Null, the default: no limit.',
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
  @Matches(NAME, NAME_RULE)
  name?: string;

  @ApiPropertyOptional({ type: String, maxLength: MAX_TEXT })
  @IfGiven()
  @IsString()
  @MaxLength(MAX_TEXT)
  @Matches(TEXT, TEXT_RULE)
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
  @Matches(NAME, NAME_RULE)
  name!: string;

  @ApiProperty({ type: String, maxLength: MAX_TEXT })
  @IsString()
  @MaxLength(MAX_TEXT)
  @Matches(TEXT, TEXT_RULE)
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
    description:
      "Evaluated with the agents that this organization may use. Default: the caller's own.",
  })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  organization?: string;
}
