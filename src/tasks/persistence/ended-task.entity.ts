import { Entity, PrimaryColumn } from 'typeorm';

/** A task that has ended, of which the audit log does not tell yet. */
@Entity('ended_tasks', { withoutRowid: true })
export class EndedTaskEntity {
  @PrimaryColumn({ name: 'task_id', type: 'text', primaryKeyConstraintName: 'ended_tasks_pk' })
  taskId!: string;
}
