import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The table `push_auth_profiles`. Secrets only in the `sealed_` columns. */
@Entity('push_auth_profiles')
@Index('push_auth_profiles_name', ['organization', 'name'], { unique: true })
export class AuthProfileEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'push_auth_profiles_pk' })
  id!: string;

  /** Empty: every organization's. */
  @Column({ type: 'text' })
  organization!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  scheme!: string;

  /** JSON. */
  @Column({ type: 'text' })
  urls!: string;

  @Column({ type: 'smallint' })
  automatic!: number;

  /** JSON; nothing in it is secret. */
  @Column({ type: 'text' })
  parameters!: string;

  @Column({ name: 'sealed_secret', type: 'text', nullable: true })
  sealedSecret!: string | null;

  @Column({ type: 'text', nullable: true })
  fingerprint!: string | null;

  @Column({ name: 'secret_since', type: 'bigint', nullable: true })
  secretSince!: number | null;

  @Column({ name: 'sealed_previous', type: 'text', nullable: true })
  sealedPrevious!: string | null;

  @Column({ name: 'previous_fingerprint', type: 'text', nullable: true })
  previousFingerprint!: string | null;

  @Column({ name: 'previous_until', type: 'bigint', nullable: true })
  previousUntil!: number | null;

  /** Raised by every change. */
  @Column({ type: 'integer' })
  version!: number;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: number;

  @Column({ name: 'updated_at', type: 'bigint' })
  updatedAt!: number;
}

/** The table `push_auth_revisions`: one row, raised by every change of `push_auth_profiles`. */
@Entity('push_auth_revisions')
export class AuthProfileRevisionEntity {
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'push_auth_revisions_pk' })
  id!: number;

  @Column({ type: 'bigint' })
  revision!: number;
}
