import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The table `push_subscriptions`. Secrets only in the `sealed_` columns. */
@Entity('push_subscriptions')
@Index('push_subscriptions_organization', ['organization', 'id'])
@Index('push_subscriptions_endpoint', ['endpoint'])
@Index('push_subscriptions_unsettled', ['unsettled'], { where: '"unsettled" IS NOT NULL' })
export class SubscriptionEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'push_subscriptions_pk' })
  id!: string;

  @Column({ type: 'text', nullable: true })
  name!: string | null;

  @Column({ type: 'text' })
  source!: string;

  @Column({ type: 'text' })
  organization!: string;

  @Column({ name: 'principal_id', type: 'text' })
  principalId!: string;

  @Column({ type: 'text' })
  scope!: string;

  @Column({ type: 'text' })
  url!: string;

  @Column({ type: 'text' })
  endpoint!: string;

  @Column({ type: 'text' })
  version!: string;

  @Column({ name: 'auth_scheme', type: 'text', nullable: true })
  authScheme!: string | null;

  @Column({ name: 'auth_names', type: 'text' })
  authNames!: string;

  @Column({ name: 'auth_profile', type: 'text', nullable: true })
  authProfile!: string | null;

  @Column({ name: 'sealed_credentials', type: 'text', nullable: true })
  sealedCredentials!: string | null;

  @Column({ name: 'sealed_token', type: 'text', nullable: true })
  sealedToken!: string | null;

  @Column({ name: 'sealed_signing_keys', type: 'text', nullable: true })
  sealedSigningKeys!: string | null;

  @Column({ type: 'text' })
  events!: string;

  /** JSON: `{agents, tags, states}`, each a list or null. */
  @Column({ type: 'text' })
  filter!: string;

  @Column({ type: 'text' })
  fingerprint!: string;

  @Column({ type: 'smallint' })
  verified!: number;

  /** Also `deleted`, while the lanes made for it are being ended. */
  @Column({ type: 'text' })
  state!: string;

  @Column({ name: 'state_reason', type: 'text', nullable: true })
  stateReason!: string | null;

  /** The revision of the last change that its lanes have not all been brought in line with. */
  @Column({ type: 'bigint', nullable: true })
  unsettled!: number | null;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: number;

  @Column({ name: 'updated_at', type: 'bigint' })
  updatedAt!: number;
}

/** The table `push_subscription_revisions`: one row, raised by changes of `push_subscriptions`. */
@Entity('push_subscription_revisions')
export class SubscriptionRevisionEntity {
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'push_subscription_revisions_pk' })
  id!: number;

  @Column({ type: 'bigint' })
  revision!: number;
}
