import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What was sent without the receiver's consent; times are epoch milliseconds. */
abstract class Allowance {
  /** What it has had, as the time at which its allowance is whole again. */
  @Column({ name: 'requests_at', type: 'bigint' })
  requestsAt!: number;

  @Column({ name: 'bytes_at', type: 'bigint' })
  bytesAt!: number;

  /** Until when what is for it waits, and why; times that are over mean nothing. */
  @Column({ name: 'held_until', type: 'bigint', nullable: true })
  heldUntil!: number | null;

  @Column({ name: 'held_reason', type: 'text', nullable: true })
  heldReason!: string | null;

  @Column({ name: 'updated_at', type: 'bigint' })
  updatedAt!: number;
}

/** Whether one receiver has agreed to be called and, if not, what it has had. No row: nothing is known. */
@Entity('push_receivers')
export class PushReceiverEntity extends Allowance {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'push_receivers_pk' })
  endpoint!: string;

  /** When it answered the challenge; null when it has not. */
  @Column({ name: 'verified_at', type: 'bigint', nullable: true })
  verifiedAt!: number | null;

  @Column({ name: 'challenged_at', type: 'bigint', nullable: true })
  challengedAt!: number | null;
}

/** What the webhooks of one principal have sent to receivers that have not agreed. */
@Entity('push_senders')
export class PushSenderEntity extends Allowance {
  @PrimaryColumn({
    name: 'principal_id',
    type: 'text',
    primaryKeyConstraintName: 'push_senders_pk',
  })
  principalId!: string;
}

/** When a principal's webhooks last reached a receiver that has not agreed. */
@Entity('push_reaches')
export class PushReachEntity {
  @PrimaryColumn({
    name: 'principal_id',
    type: 'text',
    primaryKeyConstraintName: 'push_reaches_pk',
  })
  principalId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'push_reaches_pk' })
  endpoint!: string;

  @Column({ type: 'bigint' })
  at!: number;
}
