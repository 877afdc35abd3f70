import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE, JSON_TEXT, TEXT } from '../../database/columns.js';

/** What the hub remembers of one context of one principal. */
@Entity('contexts', { withoutRowid: true })
@Index('contexts_last_used_idx', ['lastUsedAt'])
export class ContextEntity {
  @PrimaryColumn({ type: 'text', transformer: TEXT, primaryKeyConstraintName: 'contexts_pk' })
  id!: string;

  @PrimaryColumn({ name: 'principal_id', type: 'text', primaryKeyConstraintName: 'contexts_pk' })
  principalId!: string;

  @Column({ type: 'text' })
  organization!: string;

  /** Agent ids. */
  @Column({ type: 'text', transformer: JSON_TEXT })
  affinity!: readonly string[];

  @Column({ name: 'last_used_at', type: 'bigint', transformer: DATE })
  lastUsedAt!: Date;
}
