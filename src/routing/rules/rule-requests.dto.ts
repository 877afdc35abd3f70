import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsObject,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { IfGiven, NAME, NAME_RULE } from '../../common/http/fields.js';
import { RULE_LIMITS } from './domain/rule.js';
import { RuleConditionsDto, RuleTargetDto, WrittenRuleDto } from './rule.dto.js';

/** Rules of both kinds, those declared in YAML and those of the API. */
const MAX_POSITION = 2 * RULE_LIMITS.rules;
const POSITION = {
  type: Number,
  minimum: 1,
  description: 'Its place among all rules, from 1; those declared in YAML come first.',
} as const;

export class CreateRuleDto extends WrittenRuleDto {
  @ApiPropertyOptional({ ...POSITION, description: `${POSITION.description} Default: the last.` })
  @IfGiven()
  @IsInt()
  @Min(1)
  @Max(MAX_POSITION)
  position?: number;
}

/** What is absent stays; `conditions` and `target` are replaced whole. */
export class PatchRuleDto {
  @ApiPropertyOptional({ type: String })
  @IfGiven()
  @Matches(NAME, NAME_RULE)
  name?: string;

  @ApiPropertyOptional({ type: Boolean })
  @IfGiven()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional(POSITION)
  @IfGiven()
  @IsInt()
  @Min(1)
  @Max(MAX_POSITION)
  position?: number;

  @ApiPropertyOptional({ type: RuleConditionsDto })
  @IfGiven()
  @IsObject()
  @ValidateNested()
  @Type(() => RuleConditionsDto)
  conditions?: RuleConditionsDto;

  @ApiPropertyOptional({ type: RuleTargetDto })
  @IfGiven()
  @IsObject()
  @ValidateNested()
  @Type(() => RuleTargetDto)
  target?: RuleTargetDto;
}

export class ReorderRulesDto {
  @ApiProperty({
    type: [String],
    description: 'The id of every rule created through the API once, in the new order.',
  })
  @IsArray()
  @ArrayMaxSize(RULE_LIMITS.rules)
  @IsString({ each: true })
  @MaxLength(RULE_LIMITS.text, { each: true })
  ids!: string[];
}
