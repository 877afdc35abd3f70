import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A process that works on tasks and webhooks, and when it last said so. */
@Entity('workers', { withoutRowid: true })
export class WorkerEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'workers_pk' })
  id!: string;

  @Column({ name: 'seen_at', type: 'bigint' })
  seenAt!: number;
}
