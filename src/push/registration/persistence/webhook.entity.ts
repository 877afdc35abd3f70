import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * Webhooks of tasks, and subscriptions: webhooks for all tasks that a filter lets through. Secrets only in
 * the `sealed_` columns.
 */
@Entity('push_webhooks')
@Index('push_webhooks_task', ['taskId', 'configId'], { unique: true })
@Index('push_webhooks_principal', ['principalId', 'uid'])
@Index('push_webhooks_set_by', ['setBy', 'uid'], { where: '"set_by" IS NOT NULL' })
@Index('push_webhooks_organization', ['organization', 'uid'])
@Index('push_webhooks_endpoint', ['endpoint', 'uid'])
@Index('push_webhooks_state', ['state', 'uid'], { where: `"state" <> 'active'` })
@Index('push_webhooks_subscription', ['organization', 'uid'], { where: `"scope" <> 'task'` })
@Index('push_webhooks_subscription_uid', ['uid'], { where: `"scope" <> 'task'` })
@Index('push_webhooks_subscription_principal', ['principalId', 'uid'], {
  where: `"scope" <> 'task'`,
})
@Index('push_webhooks_subscription_endpoint', ['endpoint', 'uid'], { where: `"scope" <> 'task'` })
@Index('push_webhooks_stale', ['reconcile_revision'], { where: '"reconcile_revision" IS NOT NULL' })
export class WebhookEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'push_webhooks_pk' })
  uid!: string;

  /** `task`, or whose tasks: `own`, `organization`. */
  @Column({ type: 'text' })
  scope!: string;

  @Column({ type: 'text' })
  organization!: string;

  @Column({ name: 'principal_id', type: 'text' })
  principalId!: string;

  /** The principal that set it on a task of another; null when its owner did. It is sent while that one is enabled. */
  @Column({ name: 'set_by', type: 'text', nullable: true })
  setBy!: string | null;

  /** The task it is for, with the id its client knows; null for a subscription. */
  @Column({ name: 'task_id', type: 'text', nullable: true })
  taskId!: string | null;

  @Column({ name: 'config_id', type: 'text', nullable: true })
  configId!: string | null;

  @Column({ type: 'text', nullable: true })
  name!: string | null;

  @Column({ type: 'text' })
  source!: string;

  /** JSON: `{agents, tags, states}`, each a list or null; null for one task. */
  @Column({ type: 'text', nullable: true })
  filter!: string | null;

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

  @Column({ type: 'text' })
  fingerprint!: string;

  @Column({ type: 'smallint' })
  verified!: number;

  /** Also `deleted`, while the delivery streams of a subscription are being ended. */
  @Column({ type: 'text' })
  state!: string;

  @Column({ name: 'state_reason', type: 'text', nullable: true })
  stateReason!: string | null;

  /** The revision of the last change that its delivery streams have not all been brought in line with. */
  @Column({ type: 'bigint', nullable: true })
  reconcile_revision!: number | null;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: number;

  @Column({ name: 'updated_at', type: 'bigint' })
  updatedAt!: number;
}

/** The table `push_webhook_revisions`: one row, raised by changes of subscriptions. */
@Entity('push_webhook_revisions')
export class WebhookRevisionEntity {
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'push_webhook_revisions_pk' })
  id!: number;

  @Column({ type: 'bigint' })
  revision!: number;
}
