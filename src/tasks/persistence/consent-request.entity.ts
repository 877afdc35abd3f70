import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE } from '../../database/columns.js';

/** A delegation that waits for the consent of its task's owner, and the link at which that is given. */
@Entity('consent_requests', { withoutRowid: true })
@Index('consent_requests_link_uq', ['linkDigest'], { unique: true })
@Index('consent_requests_state_uq', ['stateDigest'], {
  unique: true,
  where: '"state_digest" IS NOT NULL',
})
@Index('consent_requests_principal_idx', ['principalId', 'organization', 'agentId'])
@Index('consent_requests_task_idx', ['taskId'])
export class ConsentRequestEntity {
  @PrimaryColumn({
    name: 'delegation_id',
    type: 'text',
    primaryKeyConstraintName: 'consent_requests_pk',
  })
  delegationId!: string;

  @Column({ name: 'task_id', type: 'text' })
  taskId!: string;

  @Column({ name: 'principal_id', type: 'text' })
  principalId!: string;

  @Column({ type: 'text' })
  organization!: string;

  @Column({ name: 'agent_id', type: 'text' })
  agentId!: string;

  @Column({ name: 'link_digest', type: 'text' })
  linkDigest!: string;

  @Column({ name: 'expires_at', type: 'bigint', transformer: DATE })
  expiresAt!: Date;

  /** Null: no browser has opened the link, or its answer has come. */
  @Column({ name: 'state_digest', type: 'text', nullable: true })
  stateDigest!: string | null;

  @Column({ name: 'browser_digest', type: 'text', nullable: true })
  browserDigest!: string | null;

  @Column({ name: 'sealed_verifier', type: 'text', nullable: true })
  sealedVerifier!: string | null;

  @Column({ name: 'state_until', type: 'bigint', nullable: true, transformer: DATE })
  stateUntil!: Date | null;

  /** A digest of the client and the servers that the user is asked for. */
  @Column({ type: 'text', nullable: true })
  client!: string | null;
}
