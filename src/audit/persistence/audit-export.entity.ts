import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DATE } from '../../database/columns.js';

/** The table `audit_exports`: who sends the audit log to a receiver, and how that went. */
@Entity('audit_exports')
export class AuditExportEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'audit_exports_pk' })
  id!: string;

  /** The process that may send; null: none has. */
  @Column({ type: 'text', nullable: true })
  owner!: string | null;

  @Column({ name: 'leased_until', type: 'bigint', transformer: DATE, nullable: true })
  leasedUntil!: Date | null;

  @Column({ type: 'bigint' })
  sent!: number;

  @Column({ type: 'bigint' })
  missed!: number;

  @Column({ name: 'set_aside', type: 'bigint', default: 0 })
  setAside!: number;

  /** `chain seq`, and why. */
  @Column({ name: 'last_set_aside', type: 'text', nullable: true })
  lastSetAside!: string | null;

  @Column({ type: 'integer' })
  failures!: number;

  @Column({ name: 'last_error', type: 'text', nullable: true })
  lastError!: string | null;

  @Column({ name: 'last_error_at', type: 'bigint', transformer: DATE, nullable: true })
  lastErrorAt!: Date | null;

  @Column({ name: 'last_sent_at', type: 'bigint', transformer: DATE, nullable: true })
  lastSentAt!: Date | null;

  @Column({ name: 'next_attempt_at', type: 'bigint', transformer: DATE, nullable: true })
  nextAttemptAt!: Date | null;
}
