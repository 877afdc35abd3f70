import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE, TEXT } from '../../../database/columns.js';
import type { Endpoint, EndpointState } from '../endpoint.js';
import type { PushEvent, PushEventType } from '../push-event.js';

// The kinds of `delivery stream-queues.ts`.
const PROVEN =
  '"ready_at" IS NOT NULL AND "failures" = 0 AND "probe_at" IS NULL AND "disable_cursor" IS NULL AND "last_success_at" IS NOT NULL';
const NEW =
  '"ready_at" IS NOT NULL AND "failures" = 0 AND "probe_at" IS NULL AND "disable_cursor" IS NULL AND "last_success_at" IS NULL';
const FAILING =
  '"ready_at" IS NOT NULL AND ("failures" > 0 OR "probe_at" IS NOT NULL) AND "disable_cursor" IS NULL';

/** The health of one endpoint (organization, scheme, host, port), with times in epoch milliseconds. No row: nothing is known. */
@Entity('push_endpoints')
@Index('push_endpoints_organization', ['organization', 'endpoint'])
@Index('push_endpoints_ready', ['readyAt'], { where: '"ready_at" IS NOT NULL' })
@Index('push_endpoints_ready_proven', ['readyAt'], { where: PROVEN })
@Index('push_endpoints_turn_proven', ['organization', 'readyAt'], { where: PROVEN })
@Index('push_endpoints_ready_new', ['readyAt'], { where: NEW })
@Index('push_endpoints_turn_new', ['organization', 'readyAt'], { where: NEW })
@Index('push_endpoints_ready_failing', ['readyAt'], { where: FAILING })
@Index('push_endpoints_turn_failing', ['organization', 'readyAt'], { where: FAILING })
@Index('push_endpoints_disabling', ['disableCursor'], { where: '"disable_cursor" IS NOT NULL' })
export class PushEndpointEntity implements Endpoint {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'push_endpoints_pk' })
  endpoint!: string;

  @Column({ type: 'text' })
  organization!: string;

  @Column({ type: 'text' })
  state!: EndpointState;

  @Column({ type: 'integer' })
  failures!: number;

  @Column({ type: 'integer' })
  concurrency!: number;

  @Column({ name: 'opened_at', type: 'bigint', nullable: true })
  openedAt!: number | null;

  /** Null while the breaker is closed. */
  @Column({ name: 'probe_at', type: 'bigint', nullable: true })
  probeAt!: number | null;

  /** The lease of the delivery stream that is trying; null when none is. */
  @Column({ name: 'probe_until', type: 'bigint', nullable: true })
  probeUntil!: number | null;

  @Column({ type: 'integer' })
  probes!: number;

  /** From when on its queue may be looked at; null when nothing waits in it. */
  @Column({ name: 'ready_at', type: 'bigint', nullable: true })
  readyAt!: number | null;

  /** How often delivery streams were put in its queue: it is not taken for empty while this has moved. */
  @Column({ type: 'integer' })
  enqueues!: number;

  /** Streams that failed before this time are to be tried now, whatever their schedule says. */
  @Column({ name: 'requeue_before', type: 'bigint', nullable: true })
  requeueBefore!: number | null;

  @Column({ name: 'failing_since', type: 'bigint', nullable: true })
  failingSince!: number | null;

  @Column({ name: 'disabled_at', type: 'bigint', nullable: true })
  disabledAt!: number | null;

  /** Its webhooks after this one are still to be disabled; null when none are. */
  @Column({ name: 'disable_cursor', type: 'text', nullable: true })
  disableCursor!: string | null;

  @Column({ name: 'last_success_at', type: 'bigint', nullable: true })
  lastSuccessAt!: number | null;

  @Column({ name: 'last_failure_at', type: 'bigint', nullable: true })
  lastFailureAt!: number | null;

  @Column({ name: 'last_error', type: 'text', nullable: true, transformer: TEXT })
  lastError!: string | null;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: number;

  @Column({ name: 'updated_at', type: 'bigint' })
  updatedAt!: number;
}

/** The events of endpoints and webhooks, for operators. */
@Entity('push_events')
@Index('push_events_organization', ['organization', 'id'])
@Index('push_events_at', ['at'])
export class PushEventEntity implements PushEvent {
  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'push_events_pk' })
  id!: number;

  @Column({ type: 'bigint', transformer: DATE })
  at!: Date;

  @Column({ type: 'text' })
  type!: PushEventType;

  @Column({ type: 'text' })
  organization!: string;

  /** Whose webhook it was; null for events of a whole endpoint. */
  @Column({ name: 'principal_id', type: 'text', nullable: true })
  principalId!: string | null;

  @Column({ type: 'text' })
  endpoint!: string;

  @Column({ name: 'task_id', type: 'text', nullable: true })
  taskId!: string | null;

  @Column({ name: 'config_id', type: 'text', nullable: true })
  configId!: string | null;

  @Column({ type: 'text', nullable: true, transformer: TEXT })
  reason!: string | null;

  /** Since when nothing but failures came. */
  @Column({ type: 'bigint', nullable: true, transformer: DATE })
  since!: Date | null;
}

/** The number of the last event: whoever writes one holds this row until it is committed. */
@Entity('push_event_counter')
export class PushEventCounterEntity {
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'push_event_counter_pk' })
  id!: number;

  @Column({ type: 'bigint' })
  last!: number;
}
