import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE } from '../../database/columns.js';

/** The access token that the caller of a task came with last; deleted when the task ends. */
@Entity('task_tokens', { withoutRowid: true })
@Index('task_tokens_expires_idx', ['expiresAt'])
export class TaskTokenEntity {
  @PrimaryColumn({ name: 'task_id', type: 'text', primaryKeyConstraintName: 'task_tokens_pk' })
  taskId!: string;

  /** The id of the entry in `auth.issuers`. */
  @Column({ name: 'issuer_id', type: 'text' })
  issuerId!: string;

  @Column({ name: 'expires_at', type: 'bigint', transformer: DATE })
  expiresAt!: Date;

  @Column({ name: 'sealed_token', type: 'text' })
  sealedToken!: string;
}
