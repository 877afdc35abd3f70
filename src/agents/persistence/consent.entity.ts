import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE, TEXT } from '../../database/columns.js';

/** That a user has consented to calls of an agent in its name, with the tokens that its provider gave. */
@Entity('consents', { withoutRowid: true })
@Index('consents_id_uq', ['id'], { unique: true })
@Index('consents_organization_idx', ['organization', 'id'])
export class ConsentEntity {
  @PrimaryColumn({
    name: 'principal_id',
    type: 'text',
    primaryKeyConstraintName: 'consents_pk',
  })
  principalId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'consents_pk' })
  organization!: string;

  @PrimaryColumn({ name: 'agent_id', type: 'text', primaryKeyConstraintName: 'consents_pk' })
  agentId!: string;

  @Column({ type: 'text' })
  id!: string;

  /** A digest of the client and the servers that it was given for. */
  @Column({ type: 'text' })
  client!: string;

  @Column({ type: 'text', transformer: TEXT })
  server!: string;

  @Column({ type: 'text', nullable: true, transformer: TEXT })
  scope!: string | null;

  @Column({ name: 'sealed_access_token', type: 'text' })
  sealedAccessToken!: string;

  @Column({ name: 'sealed_refresh_token', type: 'text', nullable: true })
  sealedRefreshToken!: string | null;

  @Column({ name: 'usable_until', type: 'bigint', transformer: DATE })
  usableUntil!: Date;

  @Column({ name: 'token_at', type: 'bigint', transformer: DATE })
  tokenAt!: Date;

  /** A process renews the tokens; null: none does. */
  @Column({ name: 'renewing_until', type: 'bigint', nullable: true, transformer: DATE })
  renewingUntil!: Date | null;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;
}
