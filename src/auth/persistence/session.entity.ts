import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE } from '../../database/columns.js';

/** That somebody has signed in at the console, with the tokens that the provider gave. */
@Entity('console_sessions', { withoutRowid: true })
@Index('console_sessions_secret_uq', ['secretHash'], { unique: true })
@Index('console_sessions_principal_idx', ['principalId', 'id'])
@Index('console_sessions_organization_idx', ['organization', 'id'])
export class SessionEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'console_sessions_pk' })
  id!: string;

  /** SHA-256 of what its cookie holds. */
  @Column({ name: 'secret_hash', type: 'text' })
  secretHash!: string;

  @Column({ name: 'principal_id', type: 'text' })
  principalId!: string;

  @Column({ type: 'text' })
  organization!: string;

  @Column({ name: 'issuer_id', type: 'text' })
  issuerId!: string;

  @Column({ name: 'sealed_access_token', type: 'text' })
  sealedAccessToken!: string;

  @Column({ name: 'sealed_refresh_token', type: 'text', nullable: true })
  sealedRefreshToken!: string | null;

  @Column({ name: 'sealed_id_token', type: 'text', nullable: true })
  sealedIdToken!: string | null;

  @Column({ name: 'usable_until', type: 'bigint', transformer: DATE })
  usableUntil!: Date;

  @Column({ name: 'token_at', type: 'bigint', transformer: DATE })
  tokenAt!: Date;

  /** A process renews the tokens; null: none does. */
  @Column({ name: 'renewing_until', type: 'bigint', nullable: true, transformer: DATE })
  renewingUntil!: Date | null;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'used_at', type: 'bigint', transformer: DATE })
  usedAt!: Date;

  @Column({ name: 'expires_at', type: 'bigint', transformer: DATE })
  expiresAt!: Date;
}
