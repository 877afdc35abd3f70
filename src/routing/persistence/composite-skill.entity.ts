import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DATE, JSON_TEXT } from '../../database/columns.js';
import type { Composite, CompositeDefinition } from '../composites/domain/composite.js';

/** The table `composite_skills`. */
@Entity('composite_skills')
export class CompositeSkillEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'composite_skills_pk' })
  id!: string;

  @Column({ type: 'integer' })
  version!: number;

  @Column({ type: 'text', transformer: JSON_TEXT })
  definition!: CompositeDefinition;

  @Column({ type: 'text' })
  source!: Composite['source'];

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  /** When the current version was made. */
  @Column({ name: 'updated_at', type: 'bigint', transformer: DATE })
  updatedAt!: Date;

  /** Null while it is there. The row stays: the next one of this id goes on counting versions. */
  @Column({ name: 'deleted_at', type: 'bigint', nullable: true, transformer: DATE })
  deletedAt!: Date | null;
}

/** The table `composite_skill_versions`: every version there ever was, the current ones as well. */
@Entity('composite_skill_versions')
export class CompositeSkillVersionEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'composite_skill_versions_pk' })
  id!: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'composite_skill_versions_pk' })
  version!: number;

  @Column({ type: 'text', transformer: JSON_TEXT })
  definition!: CompositeDefinition;

  @Column({ type: 'text' })
  source!: Composite['source'];

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;
}

/** The table `composite_skill_revisions`: one row, raised by every change of `composite_skills`. */
@Entity('composite_skill_revisions')
export class CompositeSkillRevisionEntity {
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'composite_skill_revisions_pk' })
  id!: number;

  @Column({ type: 'bigint' })
  revision!: number;
}
