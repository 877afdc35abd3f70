import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What the hub remembers of one context of one principal. */
@Entity('contexts', { withoutRowid: true })
@Index('contexts_last_used_idx', ['lastUsedAt'])
export class ContextEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'contexts_pk' })
  id!: string;

  @PrimaryColumn({ name: 'principal_id', type: 'text', primaryKeyConstraintName: 'contexts_pk' })
  principalId!: string;

  @Column({ type: 'text' })
  organization!: string;

  /** JSON list of agent ids. */
  @Column({ type: 'text' })
  affinity!: string;

  @Column({ name: 'last_used_at', type: 'bigint' })
  lastUsedAt!: number;
}
