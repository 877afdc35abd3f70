import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The table `api_keys`. `scopes` is a JSON array; times are epoch milliseconds. */
@Entity('api_keys')
@Index('api_keys_principal', ['principalId', 'id'])
@Index('api_keys_expires_idx', ['expiresAt'], { where: '"expires_at" IS NOT NULL' })
export class ApiKeyEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'api_keys_pk' })
  id!: string;

  @Column({ name: 'principal_id', type: 'text' })
  principalId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  scopes!: string;

  @Column({ type: 'text' })
  hash!: string;

  /** 1 when the scopes hold `admin`; kept apart so that the database can look for it. */
  @Column({ type: 'smallint' })
  admin!: number;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: number;

  @Column({ name: 'revoked_at', type: 'bigint', nullable: true })
  revokedAt!: number | null;

  @Column({ name: 'last_used_at', type: 'bigint', nullable: true })
  lastUsedAt!: number | null;

  @Column({ name: 'expires_at', type: 'bigint', nullable: true })
  expiresAt!: number | null;

  /** 1 when its expiry counts for its principal as a revocation does. */
  @Column({ type: 'smallint', default: 0 })
  expired!: number;
}
