import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE } from '../../database/columns.js';
import { shortJson } from '../../database/short-texts.js';
import type { AuditDetails, AuditOutcome } from '../audit-entry.js';

/** Most entries are of ended tasks. */
const DETAILS = shortJson([
  '{"state":"TASK_STATE_',
  '","createdAt":"20',
  'Z","endedAt":"20',
  'Z","delegations":[{"agent":"',
  '","skill":null,"state":"completed","calls":1,"begunAt":"20',
  '","skill":"',
  '","state":"completed","calls":1,"begunAt":"20',
  '","skill":null,"state":"',
  'Z","changedAt":"20',
  'Z"},{"agent":"',
  'Z"}]}',
  '","traceId":"',
  '","reason":"',
]);

/**
 * The table `audit_events`: append-only, but for what is kept no longer. Most entries are of ended tasks, so these are
 * in as few indexes as will do.
 */
@Entity('audit_events')
@Index('audit_events_at_idx', ['at'])
@Index('audit_events_principal_idx', ['principal', 'at'])
@Index('audit_events_action_idx', ['action', 'at'], { where: `"action" <> 'tasks.end'` })
@Index('audit_events_resource_idx', ['resourceId', 'at'])
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

  @Column({ type: 'text', transformer: DETAILS })
  details!: AuditDetails;

  @Column({ name: 'previous_hash', type: 'text' })
  previousHash!: string;

  @Column({ type: 'text' })
  hash!: string;
}
