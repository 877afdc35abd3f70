import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE, FLAG, JSON_TEXT } from '../../database/columns.js';

/** The table `principals`: whoever may call the hub. Times are epoch milliseconds. */
@Entity('principals')
@Index('principals_organization', ['organization', 'id'])
@Index('principals_unreconciled', ['unreconciled'], { where: '"unreconciled" IS NOT NULL' })
export class PrincipalEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'principals_pk' })
  id!: string;

  @Column({ type: 'text' })
  organization!: string;

  @Column({ name: 'display_name', type: 'text', nullable: true })
  displayName!: string | null;

  /** The hub's own groups it is in. */
  @Column({ type: 'text', default: '[]', transformer: JSON_TEXT })
  groups!: readonly string[];

  /** The configuration lets it in without a row in `api_keys`. */
  @Column({ name: 'built_in', type: 'smallint', transformer: FLAG })
  builtIn!: boolean;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'disabled_at', type: 'bigint', nullable: true })
  disabledAt!: number | null;

  /** An operator of all organizations has disabled it, and only such a one enables it. */
  @Column({ name: 'disabled_by_operator', type: 'smallint', default: 0, transformer: FLAG })
  disabledByOperator!: boolean;

  /** Since when its organization is disabled; kept here, so that nothing more has to be read at a call. */
  @Column({ name: 'organization_disabled_at', type: 'bigint', nullable: true })
  organizationDisabledAt!: number | null;

  /** Since when it has no valid key; null while it has one. */
  @Column({ name: 'keyless_since', type: 'bigint', nullable: true })
  keylessSince!: number | null;

  /** Since when it has no valid key with scope `tasks:organization`, `tasks:all` or `admin`. */
  @Column({ name: 'narrow_since', type: 'bigint', nullable: true })
  narrowSince!: number | null;

  /** Since when it has no valid key with scope `push:all` or `admin`. */
  @Column({ name: 'plain_since', type: 'bigint', nullable: true })
  plainSince!: number | null;

  /** The revision of the last change that what it owns has not been brought in line with. */
  @Column({ type: 'bigint', nullable: true })
  unreconciled!: number | null;
}

/** The table `principal_revisions`: one row, raised when a key or a principal ends or comes back. */
@Entity('principal_revisions')
export class PrincipalRevisionEntity {
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'principal_revisions_pk' })
  id!: number;

  @Column({ type: 'bigint' })
  revision!: number;
}
