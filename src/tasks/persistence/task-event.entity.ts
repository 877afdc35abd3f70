import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

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

  /** The `EventHeader` in short (`header-text.ts`); null when it says nothing. Before the body, so that SQLite need not pass it. */
  @Column({ type: 'text', nullable: true })
  header!: string | null;

  /** 1.0 wire JSON of the StreamResponse; empty when it is large, and in `task_texts`. */
  @Column({ type: 'text' })
  body!: string;

  /** Where it is there, and its characters. */
  @Column({ name: 'text_id', type: 'text', nullable: true })
  textId!: string | null;

  @Column({ name: 'text_size', type: 'integer', nullable: true })
  textSize!: number | null;
}

/** Large texts of the log, in pieces. With row ids: what is looked for beside them is found without reading them. */
@Entity('task_texts')
@Index('task_texts_at_idx', ['at', 'textId'], { where: '"piece" = 0' })
export class TaskTextEntity {
  @PrimaryColumn({ name: 'task_id', type: 'text', primaryKeyConstraintName: 'task_texts_pk' })
  taskId!: string;

  @PrimaryColumn({ name: 'text_id', type: 'text', primaryKeyConstraintName: 'task_texts_pk' })
  textId!: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'task_texts_pk' })
  piece!: number;

  /** When it was written: what no log entry and no checkpoint names long after is deleted. */
  @Column({ type: 'bigint' })
  at!: number;

  @Column({ type: 'text' })
  text!: string;
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

  /** Where `body` is, when it is stored apart: it is empty then. */
  @Column({ name: 'text_id', type: 'text', nullable: true })
  textId!: string | null;

  @Column({ name: 'text_size', type: 'integer', nullable: true })
  textSize!: number | null;

  /** Where `held` is, when it is stored apart. */
  @Column({ name: 'held_id', type: 'text', nullable: true })
  heldId!: string | null;

  @Column({ name: 'held_size', type: 'integer', nullable: true })
  heldSize!: number | null;
}
