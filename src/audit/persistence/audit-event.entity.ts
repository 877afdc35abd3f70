import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE, JSON_TEXT } from '../../database/columns.js';
import type { AuditDetails, AuditOutcome } from '../audit-entry.js';

/** The table `audit_events`: append-only, but for what is kept no longer. */
@Entity('audit_events')
@Index('audit_events_at_idx', ['at', 'id'])
@Index('audit_events_principal_idx', ['principal', 'at', 'id'])
@Index('audit_events_action_idx', ['action', 'at', 'id'])
@Index('audit_events_resource_idx', ['resourceId', 'at', 'id'])
export class AuditEventEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'audit_events_pk' })
  chain!: string;

  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'audit_events_pk' })
  seq!: number;

  @Column({ type: 'text' })
  id!: string;

  @Column({ type: 'bigint', transformer: DATE })
  at!: Date;

  @Column({ type: 'text' })
  action!: string;

  @Column({ type: 'text' })
  outcome!: AuditOutcome;

  @Column({ type: 'text', nullable: true })
  principal!: string | null;

  @Column({ type: 'text', nullable: true })
  organization!: string | null;

  @Column({ name: 'on_behalf_of', type: 'text', nullable: true })
  onBehalfOf!: string | null;

  @Column({ type: 'text', nullable: true })
  issuer!: string | null;

  @Column({ type: 'text', nullable: true })
  credential!: string | null;

  @Column({ name: 'resource_type', type: 'text', nullable: true })
  resourceType!: string | null;

  @Column({ name: 'resource_id', type: 'text', nullable: true })
  resourceId!: string | null;

  @Column({ name: 'request_id', type: 'text', nullable: true })
  requestId!: string | null;

  @Column({ type: 'text', nullable: true })
  policy!: string | null;

  @Column({ type: 'text', transformer: JSON_TEXT })
  details!: AuditDetails;

  @Column({ name: 'previous_hash', type: 'text' })
  previousHash!: string;

  @Column({ type: 'text' })
  hash!: string;
}
