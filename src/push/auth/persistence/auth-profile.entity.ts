import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE, FLAG, JSON_TEXT, type Transformer } from '../../../database/columns.js';
import type { AuthProfile } from '../auth-profile.js';
import type { ProfileParameters } from '../profile-parameters.dto.js';
import type { ProfileSchemeName } from '../schemes/schemes.js';

/** The value that means every organization; none has this name. */
export const EVERY = '';

/** Null stands for every organization. */
const ORGANIZATION: Transformer = {
  to: (organization: string | null) => organization ?? EVERY,
  from: (organization: string) => (organization === EVERY ? null : organization),
};

/** The table `push_auth_profiles`. Secrets only in the `sealed_` columns. */
@Entity('push_auth_profiles')
@Index('push_auth_profiles_name', ['organization', 'name'], { unique: true })
export class AuthProfileEntity implements AuthProfile {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'push_auth_profiles_pk' })
  id!: string;

  @Column({ type: 'text', transformer: ORGANIZATION })
  organization!: string | null;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  scheme!: ProfileSchemeName;

  @Column({ type: 'text', transformer: JSON_TEXT })
  urls!: readonly string[];

  @Column({ type: 'smallint', transformer: FLAG })
  automatic!: boolean;

  /** Nothing in it is secret. */
  @Column({ type: 'text', transformer: JSON_TEXT })
  parameters!: ProfileParameters;

  @Column({ name: 'sealed_secret', type: 'text', nullable: true })
  sealedSecret!: string | null;

  @Column({ type: 'text', nullable: true })
  fingerprint!: string | null;

  @Column({ name: 'secret_since', type: 'bigint', nullable: true, transformer: DATE })
  secretSince!: Date | null;

  @Column({ name: 'sealed_previous', type: 'text', nullable: true })
  sealedPrevious!: string | null;

  @Column({ name: 'previous_fingerprint', type: 'text', nullable: true })
  previousFingerprint!: string | null;

  @Column({ name: 'previous_until', type: 'bigint', nullable: true, transformer: DATE })
  previousUntil!: Date | null;

  /** Raised by every change. */
  @Column({ type: 'integer' })
  version!: number;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'bigint', transformer: DATE })
  updatedAt!: Date;
}

/** The table `push_auth_revisions`: one row, raised by every change of `push_auth_profiles`. */
@Entity('push_auth_revisions')
export class AuthProfileRevisionEntity {
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'push_auth_revisions_pk' })
  id!: number;

  @Column({ type: 'bigint' })
  revision!: number;
}
