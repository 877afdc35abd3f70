import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A deleted task whose log was too large to be deleted with it: what is left of it goes piece by piece. */
@Entity('deleted_logs', { withoutRowid: true })
export class DeletedLogEntity {
  @PrimaryColumn({ name: 'task_id', type: 'text', primaryKeyConstraintName: 'deleted_logs_pk' })
  taskId!: string;

  /** Whose the task was; null when it was deleted by an older version. */
  @Column({ type: 'text', nullable: true })
  organization!: string | null;

  @Column({ name: 'principal_id', type: 'text', nullable: true })
  principalId!: string | null;

  /** Entries that are deleted at once: the larger they are, the fewer. */
  @Column({ name: 'piece_rows', type: 'integer' })
  pieceRows!: number;
}
