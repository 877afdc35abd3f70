import { ApiProperty } from '@nestjs/swagger';
import type { RuleAction, RuleConditions } from './domain/rule.js';
import { RuleConditionsDto, RuleTargetDto } from './rule.dto.js';
import type { ShownRule } from './rules.service.js';

/** A rule as the API shows it. */
export class RuleDto {
  @ApiProperty({ type: String })
  readonly id: string;

  @ApiProperty({ type: String })
  readonly name: string;

  @ApiProperty({ type: Number, description: 'Its place among all rules, from 1.' })
  readonly position: number;

  @ApiProperty({ type: Boolean })
  readonly enabled: boolean;

  @ApiProperty({ type: RuleConditionsDto })
  readonly conditions: RuleConditions;

  @ApiProperty({ type: RuleTargetDto })
  readonly target: RuleAction;

  @ApiProperty({
    enum: ['api', 'config'],
    description: '`config`: declared in YAML, and changed there only.',
  })
  readonly source: 'api' | 'config';

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why it cannot be applied now, so that messages skip it; null when it can.',
  })
  readonly problem: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly createdAt: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly updatedAt: string | null;

  constructor({ rule, no, problem }: ShownRule) {
    this.id = rule.id;
    this.name = rule.name;
    this.position = no;
    this.enabled = rule.enabled;
    this.conditions = rule.conditions;
    this.target = rule.target;
    this.source = rule.source;
    this.problem = problem;
    this.createdAt = rule.createdAt?.toISOString() ?? null;
    this.updatedAt = rule.updatedAt?.toISOString() ?? null;
  }
}

export class RulePageDto {
  @ApiProperty({ type: [RuleDto] })
  readonly items!: readonly RuleDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}
