import { ApiProperty } from '@nestjs/swagger';
import type { FieldViolation } from '../../common/hub-error.js';
import { hubSkillId } from '../domain/agent-index.js';
import { COMPOSITE_AGENT_ID } from '../domain/composite-skill.js';
import { RouteStepDto } from '../route.dto.js';
import type { CompositeVersion } from './composite-store.js';
import { CompositeStepDto } from './composite-step.dto.js';
import {
  type Composite,
  type CompositeDefinition,
  definitionOf,
  type WrittenStep,
} from './domain/composite.js';

class CompositeDefinitionDto implements CompositeDefinition {
  @ApiProperty({ type: String })
  readonly name!: string;

  @ApiProperty({ type: String })
  readonly description!: string;

  @ApiProperty({ type: [String] })
  readonly tags!: readonly string[];

  @ApiProperty({ type: [String] })
  readonly examples!: readonly string[];

  @ApiProperty({ type: [String] })
  readonly inputModes!: readonly string[];

  @ApiProperty({ type: [String] })
  readonly outputModes!: readonly string[];

  @ApiProperty({ type: [String], nullable: true, description: 'Null: everybody.' })
  readonly organizations!: readonly string[] | null;

  @ApiProperty({ type: Boolean })
  readonly enabled!: boolean;

  @ApiProperty({ type: Number, nullable: true })
  readonly deadlineSeconds!: number | null;

  @ApiProperty({ type: Number, nullable: true })
  readonly maxCalls!: number | null;

  @ApiProperty({ type: [CompositeStepDto], description: 'The steps as they were submitted.' })
  readonly steps!: readonly WrittenStep[];
}

/** A version of a composite skill as the API shows it. */
export class CompositeVersionDto extends CompositeDefinitionDto {
  @ApiProperty({ type: String })
  readonly id: string;

  @ApiProperty({ type: Number, description: 'Raised by every change.' })
  readonly version: number;

  @ApiProperty({ enum: ['api', 'config'], description: 'config: declared in YAML.' })
  readonly source: Composite['source'];

  @ApiProperty({ type: String, format: 'date-time', description: 'When this version was made.' })
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

export class CompositeProblemDto implements FieldViolation {
  @ApiProperty({ type: String, example: 'steps[1].agentId' })
  readonly field!: string;

  @ApiProperty({ type: String })
  readonly description!: string;
}

/** A composite skill as the API shows it. */
export class CompositeDto extends CompositeDefinitionDto {
  @ApiProperty({ type: String })
  readonly id: string;

  @ApiProperty({ type: String, description: "Its id in the hub's card, by which clients ask." })
  readonly skillId: string;

  @ApiProperty({ type: Number, description: 'Raised by every change; also the ETag.' })
  readonly version: number;

  @ApiProperty({ enum: ['api', 'config'], description: 'config: declared in YAML.' })
  readonly source: Composite['source'];

  @ApiProperty({ type: String, format: 'date-time' })
  readonly createdAt: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'When this version was made.' })
  readonly updatedAt: string;

  @ApiProperty({
    type: [CompositeProblemDto],
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

export class CompositePageDto {
  @ApiProperty({ type: [CompositeDto] })
  readonly items!: readonly CompositeDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}

export class CompositeVersionPageDto {
  @ApiProperty({ type: [CompositeVersionDto], description: 'The newest first.' })
  readonly items!: readonly CompositeVersionDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}

export class CompositeValidationDto {
  @ApiProperty({ type: Boolean, description: 'Whether it could be saved.' })
  readonly valid!: boolean;

  @ApiProperty({ type: [CompositeProblemDto], description: 'The problems that prevent saving it.' })
  readonly problems!: readonly FieldViolation[];

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why a task of this organization would be refused now; null: it would not be.',
  })
  readonly refusal!: string | null;

  @ApiProperty({
    type: [RouteStepDto],
    description:
      'The steps in the order they run, with the agents they would go to; empty when the task would be refused.',
  })
  readonly steps!: readonly RouteStepDto[];
}
