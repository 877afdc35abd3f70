import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE, FLAG, JSON_TEXT, TEXT } from '../../../database/columns.js';
import type { Webhook } from '../webhook.js';

/**
 * Webhooks of tasks, and subscriptions: webhooks for all tasks that a filter lets through. Secrets only in
 * the `sealed_` columns.
 */
@Entity('push_webhooks')
@Index('push_webhooks_task', ['taskId', 'configId'], { unique: true })
@Index('push_webhooks_principal', ['principalId', 'id'])
@Index('push_webhooks_set_by', ['setBy', 'id'], { where: '"set_by" IS NOT NULL' })
@Index('push_webhooks_organization', ['organization', 'id'])
@Index('push_webhooks_endpoint', ['endpoint', 'id'])
@Index('push_webhooks_state', ['state', 'id'], { where: `"state" <> 'active'` })
@Index('push_webhooks_auth_profile', ['authProfile', 'organization'], {
  where: '"auth_profile" IS NOT NULL',
})
@Index('push_webhooks_subscription', ['organization', 'id'], { where: `"scope" <> 'task'` })
@Index('push_webhooks_subscription_id', ['id'], { where: `"scope" <> 'task'` })
@Index('push_webhooks_subscription_principal', ['principalId', 'id'], {
  where: `"scope" <> 'task'`,
})
@Index('push_webhooks_subscription_endpoint', ['endpoint', 'id'], { where: `"scope" <> 'task'` })
@Index('push_webhooks_stale', ['reconcileRevision'], { where: '"reconcile_revision" IS NOT NULL' })
export class WebhookEntity implements Webhook {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'push_webhooks_pk' })
  id!: string;

  /** `task`, or whose tasks: `own`, `organization`. */
  @Column({ type: 'text' })
  scope!: Webhook['scope'];

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

  @Column({ type: 'text', nullable: true, transformer: TEXT })
  name!: string | null;

  @Column({ type: 'text' })
  source!: Webhook['source'];

  /** `{agents, tags, states}`, each a list or null; null for one task. */
  @Column({ type: 'text', nullable: true, transformer: JSON_TEXT })
  filter!: Webhook['filter'];

  @Column({ type: 'text', transformer: TEXT })
  url!: string;

  @Column({ type: 'text', transformer: TEXT })
  endpoint!: string;

  @Column({ type: 'text' })
  version!: Webhook['version'];

  @Column({ name: 'auth_scheme', type: 'text', nullable: true })
  authScheme!: Webhook['authScheme'];

  @Column({ name: 'auth_names', type: 'text', transformer: JSON_TEXT })
  authNames!: readonly string[];

  @Column({ name: 'auth_profile', type: 'text', nullable: true })
  authProfile!: string | null;

  @Column({ name: 'sealed_credentials', type: 'text', nullable: true })
  sealedCredentials!: string | null;

  @Column({ name: 'sealed_token', type: 'text', nullable: true })
  sealedToken!: string | null;

  @Column({ name: 'sealed_signing_keys', type: 'text', nullable: true })
  sealedSigningKeys!: string | null;

  @Column({ type: 'text' })
  events!: Webhook['events'];

  @Column({ type: 'text' })
  fingerprint!: string;

  @Column({ type: 'smallint', transformer: FLAG })
  verified!: boolean;

  /** Also `deleted`, while the delivery streams of a subscription are being ended. */
  @Column({ type: 'text' })
  state!: Webhook['state'];

  @Column({ name: 'state_reason', type: 'text', nullable: true, transformer: TEXT })
  stateReason!: string | null;

  /** The revision of the last change that its delivery streams have not all been brought in line with. */
  @Column({ name: 'reconcile_revision', type: 'bigint', nullable: true })
  reconcileRevision!: number | null;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'bigint', transformer: DATE })
  updatedAt!: Date;
}

/** The table `push_webhook_revisions`: one row, raised by changes of subscriptions. */
@Entity('push_webhook_revisions')
export class WebhookRevisionEntity {
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'push_webhook_revisions_pk' })
  id!: number;

  @Column({ type: 'bigint' })
  revision!: number;
}
