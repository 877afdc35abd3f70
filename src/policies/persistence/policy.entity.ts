import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DATE, FLAG, JSON_TEXT, TEXT } from '../../database/columns.js';
import type { PolicyDefinition, PolicyTest } from '../domain/policy.js';

/** The table `policies`. */
@Entity('policies')
export class PolicyEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'policies_pk' })
  id!: string;

  @Column({ type: 'integer' })
  version!: number;

  /** Null: of the hub. */
  @Column({ type: 'text', nullable: true, transformer: TEXT })
  organization!: string | null;

  @Column({ type: 'text', transformer: TEXT })
  description!: string;

  @Column({ type: 'smallint', transformer: FLAG })
  enabled!: boolean;

  /** Statements of Cedar. */
  @Column({ type: 'text', transformer: TEXT })
  text!: string;

  @Column({ type: 'text', transformer: JSON_TEXT })
  tests!: readonly PolicyTest[];

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'bigint', transformer: DATE })
  updatedAt!: Date;
}

/** The table `policy_versions`: what each policy was at each of its versions. */
@Entity('policy_versions')
export class PolicyVersionEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'policy_versions_pk' })
  id!: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'policy_versions_pk' })
  version!: number;

  @Column({ type: 'text', transformer: JSON_TEXT })
  definition!: PolicyDefinition;

  @Column({ type: 'bigint', transformer: DATE })
  at!: Date;
}

/** The table `policy_revisions`: one row, raised by every change of `policies`. */
@Entity('policy_revisions')
export class PolicyRevisionEntity {
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'policy_revisions_pk' })
  id!: number;

  @Column({ type: 'bigint' })
  revision!: number;
}
