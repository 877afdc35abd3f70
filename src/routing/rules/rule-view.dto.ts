import { RECORD_SOURCES, type RecordSource } from '../../common/record-source.js';
import type { FieldViolation } from '../../common/hub-error.js';
import { Shown } from '../../common/http/fields.js';
import {
  definitionOf,
  type RuleAction,
  type RuleConditions,
  type RuleDefinition,
} from './domain/rule.js';
import { RuleConditionsDto, RuleTargetDto } from './rule.dto.js';
import { DefinitionProblemDto } from '../definition-problem.dto.js';
import type { RuleVersion } from './rule-store.js';
import type { ShownRule } from './rules.service.js';

class RuleDefinitionDto implements RuleDefinition {
  @Shown.Text()
  readonly name!: string;

  @Shown.Flag()
  readonly enabled!: boolean;

  @Shown.Nested(() => RuleConditionsDto)
  readonly conditions!: RuleConditions;

  @Shown.Nested(() => RuleTargetDto)
  readonly target!: RuleAction;
}

/** A version of a rule as the API shows it. */
export class RuleVersionDto extends RuleDefinitionDto {
  @Shown.Text()
  readonly id: string;

  @Shown.Num({ description: 'Raised by every change but that of its place.' })
  readonly version: number;

  @Shown.Choice(RECORD_SOURCES, { description: '`config`: declared in YAML.' })
  readonly source: RecordSource;

  @Shown.Time({ description: 'When this version was made.' })
  readonly createdAt: string;

  constructor(version: RuleVersion) {
    super();
    this.id = version.id;
    this.version = version.version;
    this.source = version.source;
    this.createdAt = version.createdAt.toISOString();
    Object.assign(this, definitionOf(version));
  }
}

/** A rule as the API shows it. */
export class RuleDto extends RuleDefinitionDto {
  @Shown.Text()
  readonly id: string;

  @Shown.Num({ description: 'Raised by every change but that of its place; also the ETag.' })
  readonly version: number;

  @Shown.Num({ description: 'Its place among all rules, from 1.' })
  readonly position: number;

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
    super();
    Object.assign(this, definitionOf(rule));
    this.id = rule.id;
    this.version = rule.version;
    this.position = no;
    this.source = rule.source;
    this.problem = problem;
    this.createdAt = rule.createdAt?.toISOString() ?? null;
    this.updatedAt = rule.updatedAt?.toISOString() ?? null;
  }
}

export class RuleValidationDto {
  @Shown.Flag({ description: 'Whether it could be saved.' })
  readonly valid!: boolean;

  @Shown.Nested(() => DefinitionProblemDto, {
    list: true,
    description: 'The problems that prevent saving it.',
  })
  readonly problems!: readonly FieldViolation[];

  @Shown.Text({
    nullable: true,
    description: 'Why messages would skip it now; null: they would not, or it cannot be saved.',
  })
  readonly problem!: string | null;
}
