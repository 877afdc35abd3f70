import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The table `routing_rules`. Objects are JSON text; times are epoch milliseconds. */
@Entity('routing_rules')
export class RuleEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'routing_rules_pk' })
  id!: string;

  /** Its place among the rules of this table, from 0. */
  @Column({ type: 'integer' })
  position!: number;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'smallint' })
  enabled!: number;

  @Column({ type: 'text' })
  conditions!: string;

  @Column({ type: 'text' })
  target!: string;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: number;

  @Column({ name: 'updated_at', type: 'bigint' })
  updatedAt!: number;
}

/** The table `routing_rule_revisions`: one row, raised by every change of `routing_rules`. */
@Entity('routing_rule_revisions')
export class RuleRevisionEntity {
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'routing_rule_revisions_pk' })
  id!: number;

  @Column({ type: 'bigint' })
  revision!: number;
}
