import { RECORD_SOURCES, type RecordSource } from '../../common/record-source.js';
import { Shown } from '../../common/http/fields.js';
import type { RuleAction, RuleConditions } from './domain/rule.js';
import { RuleConditionsDto, RuleTargetDto } from './rule.dto.js';
import type { ShownRule } from './rules.service.js';

/** A rule as the API shows it. */
export class RuleDto {
  @Shown.Text()
  readonly id: string;

  @Shown.Text()
  readonly name: string;

  @Shown.Num({ description: 'Its place among all rules, from 1.' })
  readonly position: number;

  @Shown.Flag()
  readonly enabled: boolean;

  @Shown.Nested(() => RuleConditionsDto)
  readonly conditions: RuleConditions;

  @Shown.Nested(() => RuleTargetDto)
  readonly target: RuleAction;

  @Shown.Choice(RECORD_SOURCES, {
    description: '`config`: declared in YAML, and changed there only.',
  })
  readonly source: RecordSource;

  @Shown.Text({
    nullable: true,
    description: 'Why it cannot be applied now, so that messages skip it; null when it can.',
  })
  readonly problem: string | null;

  @Shown.Time({ nullable: true })
  readonly createdAt: string | null;

  @Shown.Time({ nullable: true })
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
