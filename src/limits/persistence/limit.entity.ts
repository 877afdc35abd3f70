import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE, JSON_TEXT } from '../../database/columns.js';
import type { LimitDefinition } from '../domain/limit.js';

/** The table `limits`. */
@Entity('limits')
@Index('limits_subject_idx', ['subject'], { unique: true })
/** On PostgreSQL alone, in the order of characters. */
@Index('limits_subject_characters', { synchronize: false })
export class LimitEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'limits_pk' })
  id!: string;

  /** Whom it is for, as one text. */
  @Column({ type: 'text' })
  subject!: string;

  @Column({ type: 'text', transformer: JSON_TEXT })
  definition!: LimitDefinition;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'bigint', transformer: DATE })
  updatedAt!: Date;
}

/** The table `limit_revisions`: one row, raised by every change of `limits`. */
@Entity('limit_revisions')
export class LimitRevisionEntity {
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'limit_revisions_pk' })
  id!: number;

  @Column({ type: 'bigint' })
  revision!: number;
}

/** The table `limit_counters`: what was taken in each period. */
@Entity('limit_counters', { withoutRowid: true })
/** On PostgreSQL alone, in the order of characters. */
@Index('limit_counters_characters', { synchronize: false })
export class LimitCounterEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'limit_counters_pk' })
  counter!: string;

  /** A day or a month (UTC) as a number; 0: of no period, the row is there to be locked. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'limit_counters_pk' })
  period!: number;

  @Column({ type: 'bigint' })
  used!: number;

  @Column({ name: 'updated_at', type: 'bigint' })
  updatedAt!: number;
}
