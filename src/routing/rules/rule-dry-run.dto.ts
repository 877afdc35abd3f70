import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray, IsIn, Matches } from 'class-validator';
import { SCOPES, type Scope } from '../../common/scope.js';
import { IfGiven, NAME, NAME_RULE } from '../../common/http/fields.js';
import type { RuleOutcome, RuleReport } from './domain/outcomes.js';

const OUTCOMES: readonly RuleOutcome[] = [
  'decides',
  'passed-over',
  'does-not-apply',
  'not-evaluated',
];

/** Whose message is tried; what is absent is the caller's own. */
export class DryRunCallerDto {
  @ApiPropertyOptional({ type: String })
  @IfGiven()
  @Matches(NAME, NAME_RULE)
  organization?: string;

  @ApiPropertyOptional({ enum: SCOPES, isArray: true })
  @IfGiven()
  @IsArray()
  @IsIn(SCOPES, { each: true })
  scopes?: Scope[];
}

export class RuleReportDto implements RuleReport {
  @ApiProperty({ type: String })
  readonly id!: string;

  @ApiProperty({ type: String })
  readonly name!: string;

  @ApiProperty({ type: Number, description: 'From 1.' })
  readonly position!: number;

  @ApiProperty({
    enum: OUTCOMES,
    description:
      '`passed-over`: it applies, but no agent can be used. `not-evaluated`: an earlier rule decided.',
  })
  readonly outcome!: RuleOutcome;

  @ApiProperty({ type: String })
  readonly why!: string;
}
