import { RECORD_SOURCES } from '../../common/record-source.js';
import { Shown } from '../../common/http/fields.js';
import type { FieldViolation } from '../../common/hub-error.js';
import { hubSkillId } from '../domain/agent-index.js';
import { COMPOSITE_AGENT_ID } from '../domain/composite-skill.js';
import { DefinitionProblemDto } from '../definition-problem.dto.js';
import { RouteStepDto } from '../route.dto.js';
import { CompositeStepDto } from './composite-step.dto.js';
import type { CompositeVersion } from './composite-store.js';
import {
  type Composite,
  type CompositeDefinition,
  definitionOf,
  type WrittenStep,
} from './domain/composite.js';

class CompositeDefinitionDto implements CompositeDefinition {
  @Shown.Text()
  readonly name!: string;

  @Shown.Text()
  readonly description!: string;

  @Shown.Text({ list: true })
  readonly tags!: readonly string[];

  @Shown.Text({ list: true })
  readonly examples!: readonly string[];

  @Shown.Text({ list: true })
  readonly inputModes!: readonly string[];

  @Shown.Text({ list: true })
  readonly outputModes!: readonly string[];

  @Shown.Text({ nullable: true, list: true, description: 'Null: everybody.' })
  readonly organizations!: readonly string[] | null;

  @Shown.Flag()
  readonly enabled!: boolean;

  @Shown.Num({ nullable: true })
  readonly deadlineSeconds!: number | null;

  @Shown.Num({ nullable: true })
  readonly maxCalls!: number | null;

  @Shown.Nested(() => CompositeStepDto, {
    list: true,
    description: 'The steps as they were submitted.',
  })
  readonly steps!: readonly WrittenStep[];
}

/** A version of a composite skill as the API shows it. */
export class CompositeVersionDto extends CompositeDefinitionDto {
  @Shown.Text()
  readonly id: string;

  @Shown.Num({ description: 'Raised by every change.' })
  readonly version: number;

  @Shown.Choice(RECORD_SOURCES, { description: 'config: declared in YAML.' })
  readonly source: Composite['source'];

  @Shown.Time({ description: 'When this version was made.' })
  readonly createdAt: string;

  constructor(version: CompositeVersion) {
    super();
    this.id = version.id;
    this.version = version.version;
    this.source = version.source;
    this.createdAt = version.createdAt.toISOString();
    Object.assign(this, definitionOf(version));
  }
}

/** A composite skill as the API shows it. */
export class CompositeDto extends CompositeDefinitionDto {
  @Shown.Text()
  readonly id: string;

  @Shown.Text({ description: "Its id in the hub's card, by which clients ask." })
  readonly skillId: string;

  @Shown.Num({ description: 'Raised by every change; also the ETag.' })
  readonly version: number;

  @Shown.Choice(RECORD_SOURCES, { description: 'config: declared in YAML.' })
  readonly source: Composite['source'];

  @Shown.Time()
  readonly createdAt: string;

  @Shown.Time({ description: 'When this version was made.' })
  readonly updatedAt: string;

  @Shown.Nested(() => DefinitionProblemDto, {
    list: true,
    description: 'What its steps require and no registered agent offers now.',
  })
  readonly problems: readonly FieldViolation[];

  constructor(composite: Composite, problems: readonly FieldViolation[]) {
    super();
    this.problems = problems;
    this.id = composite.id;
    this.skillId = hubSkillId(COMPOSITE_AGENT_ID, composite.id);
    this.version = composite.version;
    this.source = composite.source;
    this.createdAt = composite.createdAt.toISOString();
    this.updatedAt = composite.updatedAt.toISOString();
    Object.assign(this, definitionOf(composite));
  }
}

export class CompositeVersionPageDto {
  @Shown.Nested(() => CompositeVersionDto, { list: true, description: 'The newest first.' })
  readonly items!: readonly CompositeVersionDto[];

  @Shown.Text({ nullable: true })
  readonly nextCursor!: string | null;
}

export class CompositeValidationDto {
  @Shown.Flag({ description: 'Whether it could be saved.' })
  readonly valid!: boolean;

  @Shown.Nested(() => DefinitionProblemDto, {
    list: true,
    description: 'The problems that prevent saving it.',
  })
  readonly problems!: readonly FieldViolation[];

  @Shown.Text({
    nullable: true,
    description: 'Why a task of this organization would be refused now; null: it would not be.',
  })
  readonly refusal!: string | null;

  @Shown.Nested(() => RouteStepDto, {
    list: true,
    description:
      'The steps in the order they run, with the agents they would go to; empty when the task would be refused.',
  })
  readonly steps!: readonly RouteStepDto[];
}
