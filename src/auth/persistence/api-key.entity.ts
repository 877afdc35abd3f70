import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE, FLAG, JSON_TEXT } from '../../database/columns.js';
import type { Scope } from '../../common/scope.js';

/** The table `api_keys`. */
@Entity('api_keys')
@Index('api_keys_principal', ['principalId', 'id'])
@Index('api_keys_expires_idx', ['expiresAt'], { where: '"expires_at" IS NOT NULL' })
@Index('api_keys_expired_idx', ['expiresAt'], { where: '"expired" = 1' })
export class ApiKeyEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'api_keys_pk' })
  id!: string;

  @Column({ name: 'principal_id', type: 'text' })
  principalId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', transformer: JSON_TEXT })
  scopes!: readonly Scope[];

  @Column({ type: 'text' })
  hash!: string;

  /** Whether the scopes hold `admin`; kept apart so that the database can look for it. */
  @Column({ type: 'smallint', transformer: FLAG })
  admin!: boolean;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'revoked_at', type: 'bigint', nullable: true, transformer: DATE })
  revokedAt!: Date | null;

  @Column({ name: 'last_used_at', type: 'bigint', nullable: true, transformer: DATE })
  lastUsedAt!: Date | null;

  @Column({ name: 'expires_at', type: 'bigint', nullable: true, transformer: DATE })
  expiresAt!: Date | null;

  /** Networks its calls may come from; none: from all. */
  @Column({ name: 'allowed_networks', type: 'text', default: '[]', transformer: JSON_TEXT })
  allowedNetworks!: readonly string[];

  /** Origins of web pages its calls may come from; none: from anywhere. */
  @Column({ name: 'allowed_origins', type: 'text', default: '[]', transformer: JSON_TEXT })
  allowedOrigins!: readonly string[];

  /** The key that was made in its place. */
  @Column({ name: 'replaced_by', type: 'text', nullable: true })
  replacedBy!: string | null;

  /** Its expiry counts for its principal as a revocation does. */
  @Column({ type: 'smallint', default: 0, transformer: FLAG })
  expired!: boolean;
}
