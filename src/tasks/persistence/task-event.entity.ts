import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The log: append-only. Its primary key is the last line of defence against two writers. */
@Entity('task_events', { withoutRowid: true })
export class TaskEventEntity {
  @PrimaryColumn({ name: 'task_id', type: 'text', primaryKeyConstraintName: 'task_events_pk' })
  taskId!: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'task_events_pk' })
  seq!: number;

  @Column({ type: 'text' })
  kind!: string;

  @Column({ type: 'bigint' })
  at!: number;

  /** 1.0 wire JSON of the StreamResponse. */
  @Column({ type: 'text' })
  body!: string;
}

/** A whole task as of a seq, so that loading it need not read its log from the start. */
@Entity('task_checkpoints', { withoutRowid: true })
export class TaskCheckpointEntity {
  @PrimaryColumn({ name: 'task_id', type: 'text', primaryKeyConstraintName: 'task_checkpoints_pk' })
  taskId!: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'task_checkpoints_pk' })
  seq!: number;

  /** 1.0 wire JSON of the Task. */
  @Column({ type: 'text' })
  body!: string;

  /** 1.0 wire JSON of the artifacts that do not count yet, as a list; null without any. */
  @Column({ type: 'text', nullable: true })
  held!: string | null;
}
