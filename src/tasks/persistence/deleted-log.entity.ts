import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A deleted task whose log was too large to be deleted with it: what is left of it goes piece by piece. */
@Entity('deleted_logs', { withoutRowid: true })
export class DeletedLogEntity {
  @PrimaryColumn({ name: 'task_id', type: 'text', primaryKeyConstraintName: 'deleted_logs_pk' })
  taskId!: string;

  /** Entries that are deleted at once: the larger they are, the fewer. */
  @Column({ name: 'piece_rows', type: 'integer' })
  pieceRows!: number;
}
