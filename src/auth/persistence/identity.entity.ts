import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE, FLAG, JSON_TEXT } from '../../database/columns.js';
import type { Scope } from '../../common/scope.js';

/** The table `identities`: the principals of callers who sign in without an API key. */
@Entity('identities')
@Index('identities_caller', ['issuer', 'organization', 'subject'], { unique: true })
@Index('identities_principal', ['principalId'], { unique: true })
@Index('identities_expires_idx', ['expiresAt'], { where: '"expired" = 0' })
@Index('identities_expired_idx', ['expiresAt'], { where: '"expired" = 1' })
export class IdentityEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'identities_pk' })
  id!: string;

  @Column({ name: 'principal_id', type: 'text' })
  principalId!: string;

  @Column({ type: 'text' })
  issuer!: string;

  @Column({ type: 'text' })
  organization!: string;

  @Column({ type: 'text' })
  subject!: string;

  /** Those of the tokens that were accepted within the minute of the last one. */
  @Column({ type: 'text', transformer: JSON_TEXT })
  scopes!: readonly Scope[];

  /** Whether the scopes hold `admin`. */
  @Column({ type: 'smallint', transformer: FLAG })
  admin!: boolean;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'last_seen_at', type: 'bigint', transformer: DATE })
  lastSeenAt!: Date;

  /** Until then it counts as a valid credential of its principal. */
  @Column({ name: 'expires_at', type: 'bigint', transformer: DATE })
  expiresAt!: Date;

  /** It does not any more. */
  @Column({ type: 'smallint', transformer: FLAG })
  expired!: boolean;
}
