import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DATE, FLAG, JSON_TEXT, TEXT } from '../../database/columns.js';
import type { RecordSource } from '../../common/record-source.js';
import type { RuleAction, RuleConditions } from '../rules/domain/rule.js';

/** The table `routing_rules`. */
@Entity('routing_rules')
export class RuleEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'routing_rules_pk' })
  id!: string;

  /** The one of `routing_rule_versions` that it is at. */
  @Column({ type: 'integer', default: 1 })
  version!: number;

  /** Its place among the rules of this table, from 0. */
  @Column({ type: 'integer' })
  position!: number;

  @Column({ type: 'text', transformer: TEXT })
  name!: string;

  @Column({ type: 'smallint', transformer: FLAG })
  enabled!: boolean;

  @Column({ type: 'text', transformer: JSON_TEXT })
  conditions!: RuleConditions;

  @Column({ type: 'text', transformer: JSON_TEXT })
  target!: RuleAction;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'bigint', transformer: DATE })
  updatedAt!: Date;
}

/**
 * The table `routing_rule_versions`: every version there ever was, the current ones as well; also of deleted
 * rules, and of those declared in YAML.
 */
@Entity('routing_rule_versions')
export class RuleVersionEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'routing_rule_versions_pk' })
  id!: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'routing_rule_versions_pk' })
  version!: number;

  @Column({ type: 'text', transformer: TEXT })
  name!: string;

  @Column({ type: 'smallint', transformer: FLAG })
  enabled!: boolean;

  @Column({ type: 'text', transformer: JSON_TEXT })
  conditions!: RuleConditions;

  @Column({ type: 'text', transformer: JSON_TEXT })
  target!: RuleAction;

  @Column({ type: 'text' })
  source!: RecordSource;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;
}

/** The table `routing_rule_revisions`: one row, raised by every change of `routing_rules`. */
@Entity('routing_rule_revisions')
export class RuleRevisionEntity {
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'routing_rule_revisions_pk' })
  id!: number;

  @Column({ type: 'bigint' })
  revision!: number;
}
