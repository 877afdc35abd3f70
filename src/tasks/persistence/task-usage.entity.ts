import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many tasks a principal has and what they take: the sum of its rows, one for each shard. */
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

  @Column({ name: 'completed_tasks', type: 'bigint' })
  completedTasks!: number;

  @Column({ name: 'failed_tasks', type: 'bigint' })
  failedTasks!: number;

  @Column({ name: 'canceled_tasks', type: 'bigint' })
  canceledTasks!: number;

  @Column({ name: 'rejected_tasks', type: 'bigint' })
  rejectedTasks!: number;

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
