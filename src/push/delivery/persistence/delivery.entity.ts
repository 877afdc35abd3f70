import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE, FLAG, JSON_TEXT, TEXT } from '../../../database/columns.js';
import type { StreamHealth } from '../../registration/webhook.js';
import type { Delivery, DeliveryAttempt, DeliveryKind, DeliveryState } from '../delivery.js';
import { LOST, LOST_OF_ALL } from './lost-letters.js';
import type { StreamCursor } from '../domain/delivery-plan.js';

/**
 * A delivery stream: one webhook's position in one task. `due_at` is null while nothing is to do; a stream
 * that waits for its endpoint has one beyond all times (`domain/stream-queue.ts`), a claimed one the end
 * of its lease.
 */
@Entity('push_delivery_streams')
@Index('push_delivery_streams_task', ['taskId', 'webhookUid'], { unique: true })
@Index('push_delivery_streams_webhook', ['webhookUid', 'id'])
@Index('push_delivery_streams_due', ['dueAt'], { where: '"due_at" < 1000000000000000' })
@Index('push_delivery_streams_queue', ['endpoint', 'dueAt'], { where: '"due_at" IS NOT NULL' })
@Index('push_delivery_streams_lease', ['leaseUntil'])
@Index('push_delivery_streams_paused', ['id'], { where: '"active" = 2' })
export class DeliveryStreamEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'push_delivery_streams_pk' })
  id!: string;

  @Column({ name: 'task_id', type: 'text' })
  taskId!: string;

  /** Its webhook; that of one task only has the same id as its stream. */
  /** The webhook's id. (A `webhook_id` is what a receiver knows a delivery by.) */
  @Column({ name: 'webhook_uid', type: 'text' })
  webhookUid!: string;

  @Column({ type: 'text' })
  organization!: string;

  @Column({ type: 'text' })
  endpoint!: string;

  /** 1: active. 0: its webhook is disabled, events do not reach it. 2: paused, events gather. */
  @Column({ type: 'smallint' })
  active!: number;

  /** It delivers every event (`events: all`); chunks make it due as well. */
  @Column({ name: 'every_event', type: 'smallint', transformer: FLAG })
  everyEvent!: boolean;

  /** The log entry to look at next. */
  @Column({ name: 'next_seq', type: 'integer' })
  nextSeq!: number;

  /** The newest log entry known to be of interest. */
  @Column({ name: 'head_seq', type: 'integer' })
  headSeq!: number;

  @Column({ type: 'text', nullable: true, transformer: JSON_TEXT })
  cursor!: StreamCursor | null;

  /** The task's state before `next_seq`; null when not known. */
  @Column({ name: 'last_state', type: 'integer', nullable: true })
  lastState!: number | null;

  /** Deliveries made and not ended. */
  @Column({ type: 'integer' })
  open!: number;

  @Column({ name: 'last_number', type: 'integer' })
  lastNumber!: number;

  @Column({ name: 'gap_seq', type: 'integer', nullable: true })
  gapSeq!: number | null;

  @Column({ name: 'due_at', type: 'bigint', nullable: true })
  dueAt!: number | null;

  @Column({ type: 'text', nullable: true })
  owner!: string | null;

  @Column({ name: 'lease_until', type: 'bigint', nullable: true, transformer: DATE })
  leaseUntil!: Date | null;

  @Column({ type: 'integer' })
  epoch!: number;

  @Column({ type: 'text', nullable: true, transformer: TEXT })
  traceparent!: string | null;

  /** What became of the webhook at this task: `active`, `failing` or `disabled`. */
  @Column({ type: 'text' })
  state!: StreamHealth['state'];

  @Column({ name: 'state_reason', type: 'text', nullable: true, transformer: TEXT })
  stateReason!: string | null;

  @Column({ name: 'failing_since', type: 'bigint', nullable: true, transformer: DATE })
  failingSince!: Date | null;

  @Column({ name: 'last_failure_at', type: 'bigint', nullable: true, transformer: DATE })
  lastFailureAt!: Date | null;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'bigint', transformer: DATE })
  updatedAt!: Date;
}

/** One event for one webhook; `body` is kept until it is delivered. */
@Entity('push_deliveries')
@Index('push_deliveries_stream', ['streamId', 'state', 'number'])
@Index('push_deliveries_task', ['taskId', 'id'])
@Index('push_deliveries_principal', ['principalId', 'id'])
@Index('push_deliveries_organization', ['organization', 'id'])
@Index('push_deliveries_open', ['organization', 'state', 'id'], {
  where: `"state" <> 'delivered'`,
})
@Index('push_deliveries_config', ['configId', 'id'])
@Index('push_deliveries_shared_stream', ['streamId', 'id'], {
  where: '"stream_id" <> "config_id"',
})
@Index('push_deliveries_state', ['state', 'id'])
@Index('push_deliveries_lost', ['state', 'updatedAt'], { where: LOST_OF_ALL })
@Index('push_deliveries_lost_of', ['organization', 'state', 'updatedAt'], { where: LOST })
@Index('push_deliveries_dead', ['endpoint', 'state', 'id'], { where: `"state" = 'dead'` })
export class PushDeliveryEntity implements Delivery {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'push_deliveries_pk' })
  id!: string;

  @Column({ name: 'stream_id', type: 'text' })
  streamId!: string;

  @Column({ name: 'task_id', type: 'text' })
  taskId!: string;

  @Column({ name: 'config_id', type: 'text' })
  configId!: string;

  /** Where it goes: `organization scheme://host:port`. */
  @Column({ type: 'text' })
  endpoint!: string;

  @Column({ type: 'text' })
  organization!: string;

  @Column({ name: 'principal_id', type: 'text' })
  principalId!: string;

  @Column({ type: 'integer' })
  number!: number;

  @Column({ type: 'integer' })
  seq!: number;

  @Column({ type: 'text' })
  kind!: DeliveryKind;

  @Column({ name: 'artifact_id', type: 'text', nullable: true, transformer: TEXT })
  artifactId!: string | null;

  @Column({ name: 'webhook_id', type: 'text' })
  webhookId!: string;

  @Column({ type: 'text' })
  state!: DeliveryState;

  @Column({ type: 'integer' })
  attempts!: number;

  @Column({ type: 'integer' })
  tries!: number;

  @Column({ type: 'integer' })
  rejections!: number;

  @Column({ type: 'smallint', transformer: FLAG })
  redelivered!: boolean;

  @Column({ type: 'text', nullable: true })
  body!: string | null;

  @Column({ name: 'content_type', type: 'text', nullable: true })
  contentType!: string | null;

  @Column({ name: 'next_attempt_at', type: 'bigint', nullable: true, transformer: DATE })
  nextAttemptAt!: Date | null;

  @Column({ name: 'last_status', type: 'integer', nullable: true })
  lastStatus!: number | null;

  @Column({ type: 'text', nullable: true, transformer: TEXT })
  reason!: string | null;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'bigint', transformer: DATE })
  updatedAt!: Date;
}

/** One try of one delivery. */
@Entity('push_attempts')
@Index('push_attempts_at', ['at'])
export class PushAttemptEntity implements DeliveryAttempt {
  @PrimaryColumn({
    name: 'delivery_id',
    type: 'text',
    primaryKeyConstraintName: 'push_attempts_pk',
  })
  deliveryId!: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'push_attempts_pk' })
  number!: number;

  @Column({ type: 'bigint', transformer: DATE })
  at!: Date;

  @Column({ name: 'duration_ms', type: 'integer' })
  durationMs!: number;

  @Column({ name: 'rounded', type: 'smallint', default: 0, transformer: FLAG })
  isRounded!: boolean;

  @Column({ type: 'integer', nullable: true })
  status!: number | null;

  @Column({ type: 'text', nullable: true })
  error!: string | null;

  @Column({ type: 'text', nullable: true, transformer: TEXT })
  response!: string | null;
}
