import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE, FLAG, JSON_TEXT, TEXT } from '../../database/columns.js';
import type { DataJobKind, DataJobState, DataProgress } from '../data-job.js';

/** The table `data_jobs`: exports and deletions of all data of an owner, with their receipts. */
@Entity('data_jobs')
@Index('data_jobs_kind', ['kind', 'id'])
@Index('data_jobs_deleting', ['owner'], {
  unique: true,
  where: `"kind" = 'deletion' AND "ended_at" IS NULL`,
})
export class DataJobEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'data_jobs_pk' })
  id!: string;

  @Column({ type: 'text' })
  kind!: DataJobKind;

  /** `organization NAME` or `principal ID`. */
  @Column({ type: 'text', transformer: TEXT })
  owner!: string;

  @Column({ name: 'mapping_only', type: 'smallint', transformer: FLAG })
  isMappingOnly!: boolean;

  @Column({ type: 'smallint', transformer: FLAG })
  blocks!: boolean;

  @Column({ type: 'text' })
  state!: DataJobState;

  @Column({ name: 'requested_by', type: 'text' })
  requestedBy!: string;

  @Column({ name: 'key_id', type: 'text', nullable: true })
  keyId!: string | null;

  @Column({ type: 'text', transformer: JSON_TEXT })
  progress!: DataProgress;

  @Column({ type: 'text', nullable: true, transformer: TEXT })
  error!: string | null;

  @Column({ type: 'text', nullable: true })
  receipt!: string | null;

  /** The process that works on a deletion, or the reading of an export that began last. */
  @Column({ type: 'text', nullable: true })
  runner!: string | null;

  @Column({ name: 'lease_until', type: 'bigint', nullable: true, transformer: DATE })
  leaseUntil!: Date | null;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'started_at', type: 'bigint', nullable: true, transformer: DATE })
  startedAt!: Date | null;

  @Column({ name: 'ended_at', type: 'bigint', nullable: true, transformer: DATE })
  endedAt!: Date | null;
}
