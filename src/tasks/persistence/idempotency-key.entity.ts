import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A principal's idempotency key and the task it belongs to. */
@Entity('idempotency_keys', { withoutRowid: true })
export class IdempotencyKeyEntity {
  @PrimaryColumn({
    name: 'principal_id',
    type: 'text',
    primaryKeyConstraintName: 'idempotency_keys_pk',
  })
  principalId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'idempotency_keys_pk' })
  key!: string;

  @Column({ name: 'task_id', type: 'text' })
  taskId!: string;

  /** Hash of the request. */
  @Column({ type: 'text' })
  fingerprint!: string;

  /** Null: the key holds until its task ends. */
  @Column({ name: 'expires_at', type: 'bigint', nullable: true })
  expiresAt!: number | null;
}
