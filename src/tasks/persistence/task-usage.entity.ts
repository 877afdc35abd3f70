import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What the tasks of a principal take: the sum of its rows, one for each shard. */
@Entity('task_usage', { withoutRowid: true })
export class TaskUsageEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'task_usage_pk' })
  organization!: string;

  @PrimaryColumn({
    name: 'principal_id',
    type: 'text',
    primaryKeyConstraintName: 'task_usage_pk',
  })
  principalId!: string;

  /** A process adds to one of them; a single one may be negative. */
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'task_usage_pk' })
  shard!: number;

  @Column({ name: 'open_tasks', type: 'bigint' })
  openTasks!: number;

  @Column({ name: 'stored_bytes', type: 'bigint' })
  storedBytes!: number;

  /** Days since 1970 (UTC); `begun` counts the tasks of this day. */
  @Column({ type: 'integer' })
  day!: number;

  @Column({ type: 'bigint' })
  begun!: number;

  @Column({ name: 'updated_at', type: 'bigint' })
  updatedAt!: number;
}
